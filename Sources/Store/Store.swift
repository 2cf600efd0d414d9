public import Domain

/// Where LaunchLink keeps what it knows; each method is one transaction.
///
/// What a method reports done is on disk, and holds for the next read of every reader of every
/// process. Every change, and each look at something secret, is one row of the audit log. All
/// methods throw `StoreError`.
public protocol Store: Sendable {
  /// A view for one thread; it is cheap to ask and must not wander between threads.
  func makeReader() throws -> any StoreReader

  // MARK: Projects

  /// Adds a project, enabled.
  ///
  /// - Throws: `StoreError` of kind `alreadyExists`.
  func createProject(_ draft: ProjectDraft, webAPIKey: String, by actor: Actor) throws -> Project

  /// Changes what `changes` names of a project.
  ///
  /// - Throws: `StoreError` of kind `notFound`.
  func updateProject(_ id: ProjectID, _ changes: ProjectChanges, by actor: Actor) throws -> Project

  /// Disables or enables a project; doing it again changes nothing.
  func setProject(_ id: ProjectID, enabled: Bool, by actor: Actor) throws -> Project

  /// Removes a project with its dead keys; bundles that were issued for it are refused for ever.
  ///
  /// - Throws: `StoreError` of kind `inUse` while it has a key that still works.
  func deleteProject(_ id: ProjectID, by actor: Actor) throws

  // MARK: API keys

  /// Makes an API key; its secret is given this once and never stored.
  func createAPIKey(_ draft: APIKeyDraft, by actor: Actor) throws -> IssuedAPIKey

  /// Makes a key that takes the place of `id`, which goes on working for `graceSeconds`.
  ///
  /// - Throws: `StoreError` of kind `inUse` where the old key was revoked, replaced or has expired.
  func rotateAPIKey(_ id: KeyID, graceSeconds: Int, by actor: Actor) throws -> IssuedAPIKey

  /// Revokes a key at once; doing it again changes nothing.
  func revokeAPIKey(_ id: KeyID, by actor: Actor) throws -> APIKey

  // MARK: Signing keys

  /// Makes a pending signing key.
  func createSigningKey(by actor: Actor) throws -> SigningKey

  /// Makes a pending key the active one and retires the one that was.
  func activateSigningKey(_ id: SigningKeyID, by actor: Actor) throws -> SigningKey

  /// Retires a key that does not sign.
  ///
  /// - Throws: `StoreError` of kind `inUse` for the active key: activate another instead.
  func retireSigningKey(_ id: SigningKeyID, by actor: Actor) throws -> SigningKey

  /// Revokes a key at once; where it was the active one, a new one is activated with it.
  ///
  /// - Returns: the revoked key and the one that took its place.
  func revokeSigningKey(
    _ id: SigningKeyID, by actor: Actor
  ) throws -> (revoked: SigningKey, activated: SigningKey?)

  /// The project's derived key of every signing key that is pending or verifies.
  func exportSigningKeys(for projectID: ProjectID, by actor: Actor) throws -> [ExportedSigningKey]

  // MARK: Master key

  /// Adds a master key and seals every secret anew with it, in one transaction, also while servers
  /// run: they read the ring anew when they meet a key that they do not know.
  ///
  /// - Throws: `StoreError` of kind `permission` where the ring cannot be written.
  func rotateMasterKey(by actor: Actor) throws -> MasterKeyRotation

  /// The master keys that no secret is sealed with, and the copies of the database that need them.
  func unneededMasterKeys() throws -> UnneededMasterKeys

  /// Removes master keys that no secret is sealed with.
  ///
  /// - Parameters:
  ///   - ids: the keys to remove; one that a secret is sealed with, or that seals, stays.
  ///   - actor: for the audit log.
  /// - Returns: the ids of those that went.
  /// - Throws: `StoreError` of kind `permission` where the ring cannot be written.
  func dropMasterKeys(_ ids: [String], by actor: Actor) throws -> [String]

  // MARK: Launches by the command

  /// Hands out what an admin needs to issue a launch of a project, and records the launch as a look at
  /// something secret.
  ///
  /// - Parameters:
  ///   - projectID: the project.
  ///   - actor: for the audit log.
  ///   - issue: issues the launch and says what it is; what it throws leaves no row.
  /// - Throws: `StoreError` of kind `notFound`; of kind `inUse` for a disabled project; of kind
  ///   `unavailable` without an active signing key.
  func issueLaunch(
    of projectID: ProjectID, by actor: Actor, _ issue: (LaunchCredentials) throws -> LaunchRecord
  ) throws

  // MARK: Users and their launches

  /// Logs a user out: no bundle that any server of the store issued to them until now verifies from now
  /// on, and one that is issued after this returns does.
  ///
  /// - Parameters:
  ///   - userID: the user of the project.
  ///   - projectID: the project.
  ///   - actor: the admin, for the audit log; nil where the partner's own backend asks.
  /// - Returns: the time of the latest launch that is refused.
  /// - Throws: `StoreError` of kind `notFound` where an admin names no project.
  @discardableResult
  func logOut(
    _ userID: String, of projectID: ProjectID, by actor: Actor?
  ) throws -> Timestamp

  /// Uses up a launch of a project with `replay_policy` `once`.
  ///
  /// - Returns: whether this was its first use; of many at once, in whichever processes, one is.
  func use(_ id: LaunchID) throws -> Bool

  // MARK: Usage

  /// Adds to the counts of launches, notes when keys were last used, and clears away all but the
  /// newest `LaunchCount.daysKept` days that have counts.
  ///
  /// It is no change by an admin, so the audit log does not name it.
  ///
  /// - Parameters:
  ///   - usage: what was counted; nothing at all is no transaction.
  ///   - day: the day that the launches are counted for.
  /// - Throws: `StoreError`; then nothing was added.
  func add(_ usage: Usage, on day: Day) throws

  // MARK: Web view

  /// Says which version of the cashback web is the latest.
  func setWebVersion(_ version: WebVersion, by actor: Actor) throws

  /// Adds a cookie, or takes the place of the one of the same project, name, domain and path.
  ///
  /// - Parameters:
  ///   - cookie: the cookie.
  ///   - attributes: what stays as it is where there is such a cookie.
  ///   - actor: who sets it.
  /// - Returns: the cookie as it is now.
  /// - Throws: `Fault` where what stays and what is set do not go together; `StoreError`.
  @discardableResult
  func setCookie(
    _ cookie: WebViewCookie, keeping attributes: Set<WebViewCookie.Attribute>, by actor: Actor
  ) throws -> WebViewCookie

  /// Removes the cookie of the same project, name, domain and path.
  ///
  /// - Throws: `StoreError` of kind `notFound`.
  func removeCookie(_ cookie: WebViewCookie, by actor: Actor) throws

  // MARK: Sessions of the support pages

  /// Signs a browser in for a while, and clears away the sessions that have ended.
  ///
  /// It is no change by an admin, so the audit log does not name it.
  ///
  /// - Parameters:
  ///   - token: the new session's id, of which only the digest is stored.
  ///   - keyID: the key that was presented; the session ends with it.
  ///   - seconds: for how long, `SupportSession.lifetime` at the most.
  ///   - old: the browser's session so far, which ends.
  /// - Throws: `StoreError` of kind `notFound` where the key has gone meanwhile.
  func beginSession(
    _ token: SessionToken, of keyID: KeyID, seconds: Int, replacing old: SessionToken?
  ) throws

  /// Ends a session; doing it again changes nothing.
  func endSession(_ token: SessionToken) throws

  // MARK: Catalogue

  /// Adds a business.
  ///
  /// - Returns: the business with the time of the change.
  /// - Throws: `StoreError` of kind `alreadyExists`.
  func createBusiness(_ business: Business, by actor: Actor) throws -> Business

  /// Changes a business; a change that changes nothing leaves no trace.
  ///
  /// - Parameters:
  ///   - id: the business.
  ///   - actor: who changes it.
  ///   - change: gets the business as it is and makes of it what it shall be.
  /// - Returns: the business as it is now.
  /// - Throws: `StoreError` of kind `notFound`, which names the nearest id; what `change` throws, and
  ///   then nothing changes.
  func updateBusiness(
    _ id: String, by actor: Actor, _ change: (inout Business) throws -> Void
  ) throws -> Business

  /// Lets a business be launched or not; doing it again changes nothing.
  ///
  /// - Throws: `StoreError` of kind `notFound`, which names the nearest id.
  func setBusiness(_ id: String, active: Bool, by actor: Actor) throws -> Business

  /// Removes a business for good.
  ///
  /// - Throws: `StoreError` of kind `notFound`, which names the nearest id.
  func removeBusiness(_ id: String, by actor: Actor) throws

  /// Adds and changes businesses, all or none.
  ///
  /// What is read is laid aside first, on disk and outside the database, so that any number of
  /// businesses takes little memory and reading keeps no other change waiting.
  ///
  /// - Parameters:
  ///   - manner: what to do with what was read.
  ///   - actor: who imports.
  ///   - read: hands all businesses to the collector.
  ///   - eachChange: hears of each change, before the changes are committed.
  ///   - confirm: asks whether so much may go, where something would and `manner` does not allow it;
  ///     nothing is locked meanwhile, and afterwards `eachChange` hears of all changes anew.
  /// - Returns: how many businesses were changed in which way.
  /// - Throws: `CatalogFaults` with all that `read` throws and all that does not go with the catalogue;
  ///   `StoreError` of kind `invalid` where all businesses would be deactivated, of kind `unavailable`
  ///   where other things would go than `confirm` heard of; what `read`, `eachChange` and `confirm`
  ///   throw. Then nothing changes.
  func importCatalog(
    _ manner: ImportManner, by actor: Actor, reading read: (any CatalogCollector) throws -> Void,
    eachChange: (CatalogChange) throws -> Void, confirm: (CatalogLosses) throws -> Void
  ) throws -> ImportSummary
}

extension Store {
  /// Adds businesses that are in memory, or puts them in the place of those there are, all or none.
  public func importBusinesses(
    _ businesses: [Business], by actor: Actor
  ) throws -> ImportSummary {
    try importCatalog(ImportManner(mayErase: true), by: actor) { collector in
      for business in businesses { try collector.put(CatalogEntry(business)) }
    } eachChange: { _ in
    } confirm: { _ in
    }
  }
}

/// One thread's view of a store; every answer is as of the moment of the call.
public protocol StoreReader: AnyObject, ExplanationDirectory {
  /// Whether it looks at the database that is in place; one that was replaced, or opened before a
  /// failure, wants a new reader. It may be asked with every request.
  var isCurrent: Bool { get }

  /// Whoever holds the key, as stored, expired and revoked ones too.
  ///
  /// - Returns: nil where there is no such key or the secret is not its own; secrets are compared
  ///   in constant time.
  func partner(holding secret: APIKeySecret) throws -> Partner?

  /// Says whether launches could be issued now.
  ///
  /// - Throws: `StoreError` of kind `unavailable` where the database cannot be read or no signing
  ///   key is active.
  func checkReadiness() throws

  /// How much the database takes on disk.
  func sizes() -> DatabaseSizes

  /// Every project, by name.
  func projects() throws -> [Project]

  /// API keys, newest first: all, or those of one project.
  func apiKeys(of projectID: ProjectID?) throws -> [APIKey]

  /// The key that took the place of another; nil where that was not rotated.
  func successor(of id: KeyID) throws -> KeyID?

  /// How many API keys work at `now` and expire before `end`, but for those that were replaced.
  ///
  /// It looks at every key, so it is nothing for every request.
  func countAPIKeys(validAt now: Timestamp, expiringBefore end: Timestamp) throws -> Int

  /// When each API key was last accepted; one that never was is not among them.
  func lastUses() throws -> [KeyID: Timestamp]

  /// When an API key was last accepted; nil where it never was.
  func lastUse(of keyID: KeyID) throws -> Timestamp?

  /// Launches of a period, by the values of each property, all of one moment.
  ///
  /// - Parameters:
  ///   - properties: what to count by.
  ///   - period: the first and the last day.
  ///   - projectID: only this project's; nil for all.
  /// - Returns: the counts of each property: days in their order, all else by most launches first.
  ///   What has none is not there.
  /// - Throws: `StoreError`.
  func launchCounts(
    by properties: [LaunchProperty], in period: ClosedRange<Day>, of projectID: ProjectID?
  ) throws -> [[LaunchCount]]

  /// What names users in logs.
  func userDigestKey() throws -> UserDigestKey

  /// Rows of the audit log, newest first.
  func auditEntries(_ query: AuditQuery) throws -> [AuditEntry]

  /// Every signing key, newest first.
  func signingKeys() throws -> [SigningKey]

  /// The latest version of the cashback web; nil until one was set.
  func webVersion() throws -> WebVersion?

  /// Every cookie of every project, by name.
  func cookies() throws -> [WebViewCookie]

  /// A session with its key as both are stored, ended ones too; see `SupportSession.isValid(at:)`.
  ///
  /// - Returns: nil where there is no such session.
  func session(_ token: SessionToken) throws -> SupportSession?

  /// One business.
  func business(_ id: String) throws -> Business?

  /// The id that comes nearest to one that no business has; of inactive ones too.
  func businessID(nearestTo id: String) throws -> String?

  /// What callers are given of a business, made once and remembered as long as nothing changes.
  ///
  /// - Parameters:
  ///   - id: the business.
  ///   - make: makes it of the business; it must depend on nothing else.
  /// - Returns: nil where there is no such business.
  /// - Throws: `StoreError`.
  func representation(
    ofBusiness id: String, make: (FoundBusiness) -> Representation
  ) throws -> Representation?

  /// Hands the whole catalogue of one moment to `body`, by id, without holding it in memory.
  ///
  /// As long as `body` takes, the database's log cannot be cut back: it should be quick.
  func forEachBusiness(_ body: (Business) throws -> Void) throws

  /// A page of the catalogue, by name and then by id.
  func businesses(_ query: BusinessQuery) throws -> BusinessPage<FoundBusiness>

  /// The same page as callers are given it, made and remembered like ``representation(ofBusiness:make:)``.
  ///
  /// - Parameters:
  ///   - query: what is asked for.
  ///   - make: makes it of a business; it must depend on nothing else.
  /// - Returns: the page.
  /// - Throws: `StoreError`.
  func representations(
    ofBusinesses query: BusinessQuery, make: (FoundBusiness) -> Representation
  ) throws -> BusinessPage<Representation>
}

/// The bytes of an answer and the tag that names them.
public struct Representation: Sendable {
  /// The bytes.
  public let body: [UInt8]
  /// A strong entity tag with its quotation marks (RFC 9110 section 8.8.3).
  public let tag: String

  /// Puts a representation together.
  public init(body: [UInt8], tag: String) {
    self.body = body
    self.tag = tag
  }
}

/// Who holds an API key and what it opens.
public final class Partner: Sendable {
  /// The key as stored.
  public let key: APIKey
  /// The project that the key is bound to.
  public let project: Project?
  /// What launches of the project need; nil without a project or an active signing key.
  public let credentials: LaunchCredentials?

  /// Puts a partner together.
  public init(key: APIKey, project: Project?, credentials: LaunchCredentials?) {
    self.key = key
    self.project = project
    self.credentials = credentials
  }
}
