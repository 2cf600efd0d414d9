internal import Cryptography
public import Domain

/// One thread's view of what admins change, remembered for as long as no admin changes anything.
///
/// Each answer begins with the question whether anybody did, so that a change by any process holds for the next
/// answer. The uses, log-outs and sessions of users and partners are not asked here: see ``Happenings``.
public final class Knowledge {
  /// A digest that no key has.
  private static let nobody = [UInt8](repeating: 0, count: 32)

  let view: any TablesView
  let rows: any KnowledgeRows & LaunchClockRows
  let searchIndex: SharedIndex
  let keyRing: SharedKeyRing
  private let time: StoreTime
  private let watch: RevisionWatch
  var memory = KnowledgeMemory(of: 0)
  private var clock: (changeCounter: Int, clock: LaunchClock)?

  init(
    _ view: any TablesView, watch: RevisionWatch, keyRing: SharedKeyRing, searchIndex: SharedIndex,
    time: StoreTime
  ) {
    self.view = view
    self.watch = watch
    rows = view.rows
    self.searchIndex = searchIndex
    self.keyRing = keyRing
    self.time = time
  }

  /// Answers from the database as it is now.
  func read<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      try watch.look()
      if memory.revision != watch.revision.knowledge {
        memory = KnowledgeMemory(of: watch.revision.knowledge)
      }
      return try body()
    } catch {
      throw view.storeError(for: error)
    }
  }

  // MARK: Partners

  /// The holder of a key as stored, expired and revoked ones too.
  ///
  /// Every refusal takes the same time: the secret is hashed, compared with a known digest or with that of nobody,
  /// and looked up by id and digest. So the time tells neither which ids there are nor which are in use.
  ///
  /// - Returns: nil where there is no such key or the secret is not its own; secrets are compared
  ///   in constant time.
  public func partner(holding secret: APIKeySecret) throws -> Partner? {
    try read {
      let known = memory.keys[secret.keyID]
      if secret.hasDigest(known?.digest ?? Self.nobody), let known { return known.partner }
      let digest = secret.digest
      guard let key = try rows.apiKey(secret.keyID, digest: digest) else { return nil }
      let partner = try partner(of: key)
      memory.keys.remember(.init(partner: partner, digest: digest), as: key.id)
      return partner
    }
  }

  private func partner(of key: APIKey) throws -> Partner {
    Partner(key: key, project: try key.projectID.flatMap(knownProject))
  }

  /// The credentials that all keys of a project launch with; nil where no signing key is active.
  ///
  /// Whoever launches nothing never asks, so that a damaged secret does not stop it.
  public func launchCredentials(of project: Project) throws -> LaunchCredentials? {
    try read {
      if let last = memory.lastCredentials, last.project.id == project.id { return last }
      memory.lastCredentials = try knownCredentials(of: project)
      return memory.lastCredentials
    }
  }

  private func knownCredentials(of project: Project) throws -> LaunchCredentials? {
    if let known = memory.credentials[project.id] { return known }
    guard let signer = try keyRing.activeSigner(for: project.id, in: rows) else { return nil }
    let credentials = LaunchCredentials(
      project: project, webAPIKey: try knownWebAPIKey(of: project), signer: signer)
    memory.credentials.remember(credentials, as: project.id)
    return credentials
  }

  /// The Web API Key of a project, unsealed once for launches and verifications.
  func knownWebAPIKey(of project: Project) throws -> String {
    if let known = memory.webAPIKeys[project.id] { return known }
    let key = try keyRing.webAPIKey(of: project.id, in: rows)
    memory.webAPIKeys.remember(key, as: project.id)
    return key
  }

  /// The clock that launches are named by.
  ///
  /// A log-out is a happening, and no launch may lie before one. So the clock is read anew after every commit,
  /// whatever it changed.
  public func launchClock() throws -> LaunchClock {
    try read {
      if let clock, clock.changeCounter == watch.changeCounter { return clock.clock }
      let current = try LaunchTime.clock(rows, time)
      clock = (watch.changeCounter, current)
      return current
    }
  }

  /// Makes sure that launches can be issued now.
  ///
  /// - Throws: `StoreError` of kind `unavailable` where the database cannot be read or no signing
  ///   key is active.
  public func checkReadiness() throws {
    try read {
      guard let active = try rows.activeSigningSecret() else {
        throw StoreError.noActiveSigningKey
      }
      // Opened, since without its master key the signing key cannot sign.
      _ = try keyRing.open(active.bytes, at: .signingKey(active.id))
    }
  }

  // MARK: Projects and keys

  /// A project, disabled or not; nil where there is none.
  public func project(_ id: ProjectID) throws -> Project? {
    try read { try knownProject(id) }
  }

  func knownProject(_ id: ProjectID) throws -> Project? {
    if let known = memory.projects[id] { return known }
    guard let project = try rows.project(id) else { return nil }
    memory.projects.remember(project, as: id)
    return project
  }

  /// Every project, by name.
  public func projects() throws -> [Project] {
    try read { try rows.projects() }
  }

  /// The Web API Key of a project, to be compared or handed to a gateway and never shown.
  public func webAPIKey(of projectID: ProjectID) throws -> String? {
    try read { try knownProject(projectID).map(knownWebAPIKey) }
  }

  /// Hands every project's Web API Key to `body`, to be looked for in a text and never shown.
  public func forEachWebAPIKey(_ body: (ProjectID, String) throws -> Void) throws {
    try read {
      for project in try rows.projects() {
        try body(project.id, try keyRing.webAPIKey(of: project.id, in: rows))
      }
    }
  }

  /// An API key in whatever state, without its secret.
  public func apiKey(_ id: KeyID) throws -> APIKey? {
    try read { try rows.apiKey(id) }
  }

  /// API keys, newest first: all, or those of one project.
  public func apiKeys(of projectID: ProjectID?) throws -> [APIKey] {
    try read { try rows.apiKeys(of: projectID) }
  }

  /// The key that took the place of another; nil where that was not rotated.
  public func successor(of id: KeyID) throws -> KeyID? {
    try read { try rows.successor(of: id) }
  }

  /// The number of API keys that work at `now`, expire before `end` and were not replaced.
  ///
  /// It reads every key, so it is too slow for every request.
  public func countAPIKeys(validAt now: Timestamp, expiringBefore end: Timestamp) throws -> Int {
    try read { try rows.countAPIKeys(validAt: now, expiringBefore: end) }
  }

  // MARK: Signing keys

  /// Every signing key, newest first.
  public func signingKeys() throws -> [SigningKey] {
    try read { try rows.signingKeys() }
  }

  /// A signing key in whatever state, without its secret.
  public func signingKey(_ id: SigningKeyID) throws -> SigningKey? {
    try read { try knownSigningKey(id) }
  }

  func knownSigningKey(_ id: SigningKeyID) throws -> SigningKey? {
    if let known = memory.signingKeys[id] { return known }
    guard let key = try rows.signingKey(id) else { return nil }
    memory.signingKeys.remember(key, as: id)
    return key
  }

  /// The key that names users in logs.
  public func userDigestKey() throws -> UserDigestKey {
    try read {
      if let known = memory.userDigestKey { return known }
      let key = try keyRing.userDigestKey(in: rows)
      memory.userDigestKey = key
      return key
    }
  }

  // MARK: Web view and audit log

  /// The latest version of the cashback web; nil until one was set.
  public func webVersion() throws -> WebVersion? {
    try read { try rows.webVersion() }
  }

  /// Every cookie of every project, by name.
  public func cookies() throws -> [WebViewCookie] {
    try read { try rows.cookies() }
  }

  /// Rows of the audit log, newest first.
  public func auditEntries(_ query: AuditQuery) throws -> [AuditEntry] {
    try read { try rows.auditEntries(query) }
  }
}
