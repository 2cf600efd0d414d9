package import Domain

/// Rows of what admins change.
///
/// A worker remembers what it read of them: see ``Knowledge``.
package protocol KnowledgeRows {
  // MARK: Projects

  /// A project.
  func project(_ id: ProjectID) throws -> Project?
  /// Every project, by name and then by id.
  func projects() throws -> [Project]
  /// The longest `ttl` of a project, disabled ones too, in seconds; 0 where there is none.
  func longestTTL() throws -> Int
  /// The sealed Web API Key of a project.
  func sealedWebAPIKey(of id: ProjectID) throws -> [UInt8]?

  // MARK: API keys

  /// An API key.
  func apiKey(_ id: KeyID) throws -> APIKey?
  /// The API key with an id and the digest of its secret. A wrong id and a wrong digest take equally long.
  func apiKey(_ id: KeyID, digest: [UInt8]) throws -> APIKey?
  /// API keys, newest first: all, or those of one project.
  func apiKeys(of projectID: ProjectID?) throws -> [APIKey]
  /// The API keys that took the place of another, newest first.
  func successors() throws -> [APIKey]
  /// The key that took the place of another.
  func successor(of id: KeyID) throws -> KeyID?
  /// How many keys work at `now`, expire before `end` and were not replaced.
  func countAPIKeys(validAt now: Timestamp, expiringBefore end: Timestamp) throws -> Int

  // MARK: Signing keys

  /// A signing key.
  func signingKey(_ id: SigningKeyID) throws -> SigningKey?
  /// Every signing key, newest first.
  func signingKeys() throws -> [SigningKey]
  /// The sealed secret of a signing key.
  func sealedSecret(of id: SigningKeyID) throws -> [UInt8]?
  /// The active signing key with its sealed secret.
  func activeSigningSecret() throws -> SealedSigningSecret?
  /// Every signing key with its sealed secret: the active one first, then the newest first.
  func signingSecrets() throws -> [SealedSigningSecret]

  // MARK: Secrets

  /// The sealed secret of the key that names users in logs.
  func sealedUserDigestKey() throws -> [UInt8]?
  /// Every sealed value of the tables.
  func sealedValues() throws -> [SealedValue]

  // MARK: Web view

  /// The latest version of the cashback web.
  func webVersion() throws -> WebVersion?
  /// Every cookie, by name, domain, path and project.
  func cookies() throws -> [WebViewCookie]

  // MARK: Catalogue

  /// A business with its products.
  func business(_ id: String) throws -> Business?
  /// Businesses with their products, in the order of their ids; one that is not there is left out.
  func businesses(_ ids: [String]) throws -> [Business]
  /// Hands every business to `body`, by id, with one at a time in memory.
  func forEachBusiness(_ body: (Business) throws -> Void) throws
  /// Whether a business is active; nil where there is none.
  func isActive(business id: String) throws -> Bool?
  /// The name of a business.
  func name(ofBusiness id: String) throws -> String?
  /// A page of the whole list of businesses by name, as ids.
  func page(_ query: BusinessQuery) throws -> BusinessPage<String>
  /// A number that differs after each change of what searches read.
  func searchRevision() throws -> Int
  /// The index for searches.
  func catalogIndex() throws -> CatalogIndex

  // MARK: Audit log

  /// Rows of the audit log, newest first.
  func auditEntries(_ query: AuditQuery) throws -> [AuditEntry]
}

/// Rows of what users and partners do.
///
/// They change all the time and are read each time: see ``Happenings``.
package protocol HappeningRows {
  /// Whether a launch was used.
  func isUsed(_ id: LaunchID) throws -> Bool
  /// The time of the latest log-out of a project's users.
  func latestLogOut(of projectID: ProjectID) throws -> Timestamp?
  /// The time of the last log-out of a user.
  func lastLogOut(of user: LoggedOutUser) throws -> Timestamp?
  /// A session with its key, by the digest of its id.
  func session(digest: [UInt8]) throws -> SupportSession?
  /// Launches of a period by the values of each property, all of one moment.
  func launchCounts(
    by properties: [LaunchProperty], in period: ClosedRange<Day>, of projectID: ProjectID?
  ) throws -> [[LaunchCount]]
  /// The last day that has counts.
  func newestCountedDay() throws -> Day?
  /// The time of the last use of every API key that was used.
  func lastUses() throws -> [KeyID: Timestamp]
  /// The time of the last use of an API key.
  func lastUse(of keyID: KeyID) throws -> Timestamp?
  /// Hands every log-out to `body`.
  func forEachLogOut(_ body: (LoggedOutUser, _ at: Timestamp) throws -> Void) throws
  /// Hands every used launch to `body`, with the time of its use.
  func forEachUsedLaunch(_ body: (LaunchID, _ at: Timestamp) throws -> Void) throws
}

/// Rows of the clock of launches.
package protocol LaunchClockRows {
  /// The state of the clock.
  func launchClock() throws -> LaunchClockRow
  /// The later of the latest launch, as far as it was written down, and the latest log-out.
  func launchFloor() throws -> Timestamp
  /// The running time at which the newest used launch or log-out was written; 0 where there is none.
  func newestRunningTime() throws -> Int64
}

/// All rows, to be read.
package protocol Rows: KnowledgeRows, HappeningRows, LaunchClockRows {
  /// What the rows are at now.
  func revision() throws -> Revision
  /// How many rows of each kind there are.
  func counts() throws -> DatabaseCounts
}

/// All rows, in a transaction that changes them.
package protocol ChangingRows: Rows {
  /// Whether nobody else can write before the transaction ends.
  var isAlone: Bool { get }

  // MARK: Projects

  /// Adds a project.
  func insert(_ project: Project, sealedWebAPIKey: [UInt8]) throws
  /// Writes a project as it is now.
  func save(_ project: Project) throws
  /// Writes the sealed Web API Key of a project.
  func save(sealedWebAPIKey: [UInt8], of id: ProjectID) throws
  /// Removes a project with all that belongs to it.
  func remove(_ id: ProjectID) throws

  // MARK: API keys

  /// Adds an API key with the digest of its secret.
  func insert(_ key: APIKey, digest: [UInt8]) throws
  /// Writes when a key expires and when it was revoked.
  func saveEnd(of key: APIKey) throws

  // MARK: Signing keys and other secrets

  /// Adds a signing key.
  func insert(_ key: SigningKey, sealedSecret: [UInt8]) throws
  /// Writes a signing key as it is now.
  func save(_ key: SigningKey) throws
  /// Raises the longest lifetime that the active key is known to sign.
  func raiseLongestTTL(to ttl: Int) throws
  /// Adds the key that names users in logs.
  func insert(sealedUserDigestKey: [UInt8]) throws
  /// Puts a value that is sealed anew in the place of another.
  func replace(_ value: SealedValue, with bytes: [UInt8]) throws

  // MARK: Web view

  /// Writes the latest version of the cashback web.
  func save(_ version: WebVersion) throws
  /// Adds a cookie.
  func insert(_ cookie: WebViewCookie) throws
  /// Removes the cookie of the same project, name, domain and path.
  func remove(_ cookie: WebViewCookie) throws

  // MARK: Catalogue

  /// Adds a business with its products, or puts it in the place of the one with its id.
  func save(_ business: Business) throws
  /// Removes a business with its products.
  func removeBusiness(_ id: String) throws

  // MARK: Audit log

  /// Adds a row to the audit log.
  func append(_ entry: AuditEntry) throws

  // MARK: Happenings

  /// Writes the state of the clock of launches; the latest launch stays.
  func save(_ clock: LaunchClockRow) throws
  /// Writes the time of the latest launch where it is later than the one that is there.
  func raiseLatestLaunch(to time: Timestamp) throws
  /// Notes that a launch is used.
  ///
  /// - Returns: whether it was not used before.
  func insertUse(of id: LaunchID, at now: Timestamp, runningTime: Int64) throws -> Bool
  /// Notes a log-out; the later time of two counts.
  func saveLogOut(of user: LoggedOutUser, at time: Timestamp, runningTime: Int64) throws
  /// Takes over a log-out of another database where the project is there.
  func carryLogOut(of user: LoggedOutUser, at time: Timestamp, runningTime: Int64) throws
  /// Removes used launches and log-outs that are older by both clocks.
  ///
  /// - Returns: whether some may be left, since no more than `count` of a kind are removed.
  func removeUsesAndLogOuts(
    runningTimeBelow runningTime: Int64, before time: Timestamp, atMost count: Int
  ) throws -> Bool
  /// Adds launches to the counts of a day.
  func add(_ launches: [LaunchTally: Int], on day: Day) throws
  /// Removes the counts of all days but the newest ones.
  func removeCounts(keepingDays days: Int) throws
  /// Notes when API keys were last used; the later time of two counts, and keys that are gone are left out.
  func save(lastUses: [KeyID: Timestamp]) throws
  /// Adds a session.
  func insertSession(digest: [UInt8], of keyID: KeyID, expiresAt: Timestamp) throws
  /// Removes the session with a digest.
  func removeSession(digest: [UInt8]) throws
  /// Removes the sessions that have ended by `now`, themselves or with their key.
  func removeEndedSessions(at now: Timestamp) throws
  /// Removes every session.
  func removeAllSessions() throws
}
