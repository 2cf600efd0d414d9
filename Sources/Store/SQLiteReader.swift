internal import Cryptography
internal import Domain
internal import SQLite

/// A reader with a connection of its own and a memory of what it read.
///
/// The memory holds only while `PRAGMA data_version` says that nobody committed anything: it is
/// asked before every answer, so what any process changed holds for the next one.
final class SQLiteReader: StoreReader {
  private struct StoredKey {
    let partner: Partner
    let digest: [UInt8]
  }

  private struct VerifierName: Hashable {
    let keyID: SigningKeyID
    let projectID: ProjectID
  }

  private struct RepresentationName: Hashable {
    let id: String
    let match: BusinessMatch?
  }

  private struct Memory {
    var keys: [KeyID: StoredKey] = [:]
    var standings: [String: BusinessStanding] = [:]
    var projects: [ProjectID: Project] = [:]
    var credentials: [ProjectID: LaunchCredentials] = [:]
    var signingKeys: [SigningKeyID: SigningKey] = [:]
    var verifiers: [VerifierName: LaunchSigner] = [:]
    var representations: [RepresentationName: Representation] = [:]
    var userDigestKey: UserDigestKey?
  }

  /// A digest that is no key's.
  private static let nobody = [UInt8](repeating: 0, count: 32)

  /// Entries of one kind that are remembered at most, so that memory stays flat.
  private static let largestMemory = 4096

  // Before the connection, since the database that they keep is to be let go of first.
  private var watch: ReplacementWatch
  private let database: OpenDatabase
  let connection: Connection
  private let keyRing: SharedKeyRing
  private let sharedIndex: SharedIndex
  private let time: StoreTime
  private var version = -1
  private var memory = Memory()

  init(
    _ connection: Connection, of database: OpenDatabase, keyRing: SharedKeyRing,
    sharedIndex: SharedIndex, time: StoreTime
  ) {
    watch = ReplacementWatch(database)
    self.database = database
    self.connection = connection
    self.keyRing = keyRing
    self.sharedIndex = sharedIndex
    self.time = time
  }

  var isCurrent: Bool { watch.isInPlace() }

  /// Answers a read from the database as it is now.
  func read<Value>(_ body: () throws -> Value) throws -> Value {
    try StoreError.translating {
      let current = try connection.dataVersion()
      if current != version {
        memory = Memory()
        version = current
      }
      return try body()
    }
  }

  // MARK: Partners

  /// Who holds a key, in the same time for every key that is refused.
  ///
  /// Each is hashed, compared, be there a digest to compare with or not, and looked up by id and
  /// digest. So no refusal tells by its time which ids there are, nor which of them are in use.
  func partner(holding secret: APIKeySecret) throws -> Partner? {
    try read {
      let known = memory.keys[secret.keyID]
      if secret.hasDigest(known?.digest ?? Self.nobody), let known { return known.partner }
      let digest = secret.digest
      guard let key = try APIKeyTable.key(connection, secret.keyID, digest: digest) else {
        return nil
      }
      let partner = try partner(of: key)
      remember(StoredKey(partner: partner, digest: digest), as: key.id, in: \.keys)
      return partner
    }
  }

  private func partner(of key: APIKey) throws -> Partner {
    let project = try key.projectID.flatMap(knownProject)
    return Partner(key: key, project: project, credentials: try project.flatMap(knownCredentials))
  }

  /// What all keys of a project launch with; nil where no signing key is active.
  private func knownCredentials(of project: Project) throws -> LaunchCredentials? {
    if let known = memory.credentials[project.id] { return known }
    let id = project.id
    guard let signer = try SigningKeyTable.activeSigner(connection, keyRing, projectID: id) else {
      return nil
    }
    let credentials = LaunchCredentials(
      project: project, webAPIKey: try ProjectTable.webAPIKey(connection, keyRing, of: id),
      signer: signer, clock: try LogOutTable.clock(connection, time, of: project.id))
    remember(credentials, as: id, in: \.credentials)
    return credentials
  }

  func checkReadiness() throws {
    try read {
      // Opened, since a master key that is not this database's is as good as none.
      guard try !SigningKeyTable.secrets(connection, keyRing, where: "state = 'active'").isEmpty
      else { throw StoreError.noActiveSigningKey }
    }
  }

  func sizes() -> DatabaseSizes { DatabaseSizes(ofFilesAt: database.path) }

  // MARK: Lists

  func projects() throws -> [Project] {
    try read { try ProjectTable.all(connection) }
  }

  func apiKeys(of projectID: ProjectID?) throws -> [APIKey] {
    try read {
      guard let projectID else { return try APIKeyTable.keys(connection, where: "1") }
      return try APIKeyTable.keys(connection, where: "project_id = ?", [projectID.description])
    }
  }

  func countAPIKeys(validAt now: Timestamp, expiringBefore end: Timestamp) throws -> Int {
    try read {
      try connection.first(
        """
        SELECT count(*) FROM api_key AS key
        WHERE revoked_at IS NULL AND expires_at > ? AND expires_at < ?
          AND NOT EXISTS (SELECT 1 FROM api_key WHERE replaces = key.key_id)
        """, now.milliseconds, end.milliseconds
      ) { try $0.int(0) } ?? 0
    }
  }

  func apiKey(_ id: KeyID) throws -> APIKey? {
    try read { try APIKeyTable.keys(connection, where: "key_id = ?", [id.description]).first }
  }

  func successor(of id: KeyID) throws -> KeyID? {
    try read { try APIKeyTable.successor(connection, of: id) }
  }

  func lastUses() throws -> [KeyID: Timestamp] {
    try read { try APIKeyUseTable.all(connection) }
  }

  func lastUse(of keyID: KeyID) throws -> Timestamp? {
    try read { try APIKeyUseTable.lastUse(connection, of: keyID) }
  }

  func launchCounts(
    by properties: [LaunchProperty], in period: ClosedRange<Day>, of projectID: ProjectID?
  ) throws -> [[LaunchCount]] {
    try read {
      try connection.transaction(.deferred) {
        try properties.map {
          try LaunchCountTable.counts(connection, by: $0, in: period, of: projectID)
        }
      }
    }
  }

  func userDigestKey() throws -> UserDigestKey {
    try read {
      if let known = memory.userDigestKey { return known }
      let key = try DigestKeyTable.userKey(connection, keyRing)
      memory.userDigestKey = key
      return key
    }
  }

  func signingKeys() throws -> [SigningKey] {
    try read { try SigningKeyTable.keys(connection) }
  }

  func webVersion() throws -> WebVersion? {
    try read { try WebVersionTable.latest(connection) }
  }

  func cookies() throws -> [WebViewCookie] {
    try read { try CookieTable.cookies(connection) }
  }

  func business(_ id: String) throws -> Business? {
    try read { try BusinessTable.business(connection, id) }
  }

  func businessID(nearestTo id: String) throws -> String? {
    try read { try ids(nearestTo: id, onlyActive: false).first }
  }

  func representation(
    ofBusiness id: String, make: (FoundBusiness) -> Representation
  ) throws -> Representation? {
    try read { try knownRepresentation(of: id, match: nil, make: make) }
  }

  private func knownRepresentation(
    of id: String, match: BusinessMatch?, make: (FoundBusiness) -> Representation
  ) throws -> Representation? {
    let name = RepresentationName(id: id, match: match)
    if let known = memory.representations[name] { return known }
    guard let found = try found(id, match) else { return nil }
    let made = make(found)
    remember(made, as: name, in: \.representations)
    return made
  }

  private func found(_ id: String, _ match: BusinessMatch?) throws -> FoundBusiness? {
    try BusinessTable.business(connection, id).map { FoundBusiness($0, match: match) }
  }

  func forEachBusiness(_ body: (Business) throws -> Void) throws {
    try read {
      try connection.transaction(.deferred) { try BusinessTable.forEach(connection, body) }
    }
  }

  func businesses(_ query: BusinessQuery) throws -> BusinessPage<FoundBusiness> {
    try page(query, read: found)
  }

  func representations(
    ofBusinesses query: BusinessQuery, make: (FoundBusiness) -> Representation
  ) throws -> BusinessPage<Representation> {
    try page(query) { try knownRepresentation(of: $0, match: $1, make: make) }
  }

  /// A page of what `read` gives for a business.
  private func page<Item>(
    _ query: BusinessQuery, read item: (_ id: String, BusinessMatch?) throws -> Item?
  ) throws -> BusinessPage<Item> {
    try read {
      try connection.transaction(.deferred) {
        query.isSearch
          ? try BusinessTable.page(connection, searching: try currentIndex(), query, read: item)
          : try BusinessTable.page(connection, query, read: item)
      }
    }
  }

  private func ids(nearestTo id: String, onlyActive: Bool) throws -> [String] {
    try connection.transaction(.deferred) {
      try currentIndex().ids(nearestTo: id, onlyActive: onlyActive)
    }
  }

  /// The index of the catalogue as the transaction under way sees it.
  private func currentIndex() throws -> CatalogIndex {
    let revision = try SearchTable.revision(connection)
    return try sharedIndex.index(of: revision) { try SearchTable.index(connection) }
  }

  func session(_ token: SessionToken) throws -> SupportSession? {
    try read {
      try connection.transaction(.deferred) { try SessionTable.session(connection, token) }
    }
  }

  // MARK: Businesses of launches

  func standing(ofBusiness id: String) throws -> BusinessStanding {
    try read {
      if let known = memory.standings[id] { return known }
      guard let isActive = try BusinessTable.isActive(connection, id) else {
        return .unknown(nearest: try ids(nearestTo: id, onlyActive: true))
      }
      let standing: BusinessStanding = isActive ? .active : .inactive
      remember(standing, as: id, in: \.standings)
      return standing
    }
  }

  // MARK: Verification

  func project(_ id: ProjectID) throws -> Project? {
    try read { try knownProject(id) }
  }

  func isVerifying(keyID: SigningKeyID, at now: Timestamp) throws -> Bool {
    try read { try knownSigningKey(keyID)?.verifies(at: now) ?? false }
  }

  func verifier(
    keyID: SigningKeyID, projectID: ProjectID, at now: Timestamp
  ) throws -> LaunchSigner? {
    try read {
      guard try knownSigningKey(keyID)?.verifies(at: now) == true else { return nil }
      let name = VerifierName(keyID: keyID, projectID: projectID)
      if let known = memory.verifiers[name] { return known }
      let secrets = try SigningKeyTable.secrets(connection, keyRing, where: "1")
      guard let secret = secrets[keyID] else { return nil }
      let verifier = LaunchSigner(keyID: keyID, secret: secret, projectID: projectID)
      remember(verifier, as: name, in: \.verifiers)
      return verifier
    }
  }

  // MARK: Explanations

  func signingKey(_ id: SigningKeyID) throws -> SigningKey? {
    try read { try knownSigningKey(id) }
  }

  func webAPIKey(of projectID: ProjectID) throws -> String? {
    try read {
      guard try knownProject(projectID) != nil else { return nil }
      return try ProjectTable.webAPIKey(connection, keyRing, of: projectID)
    }
  }

  func forEachWebAPIKey(_ body: (ProjectID, String) throws -> Void) throws {
    try read {
      for project in try ProjectTable.all(connection) {
        try body(project.id, try ProjectTable.webAPIKey(connection, keyRing, of: project.id))
      }
    }
  }

  func lastLogOut(of userID: String, in projectID: ProjectID) throws -> Timestamp? {
    try read { try LogOutTable.last(connection, userID, of: projectID) }
  }

  func isUsed(_ id: LaunchID) throws -> Bool {
    try read { try UsedLaunchTable.contains(connection, id) }
  }

  // MARK: Memory

  private func knownProject(_ id: ProjectID) throws -> Project? {
    if let known = memory.projects[id] { return known }
    guard let project = try ProjectTable.project(connection, id) else { return nil }
    remember(project, as: id, in: \.projects)
    return project
  }

  private func knownSigningKey(_ id: SigningKeyID) throws -> SigningKey? {
    if let known = memory.signingKeys[id] { return known }
    let found = try SigningKeyTable.keys(connection, where: "key_id = ?", [id.description])
    guard let key = found.first else { return nil }
    remember(key, as: id, in: \.signingKeys)
    return key
  }

  private func remember<Name: Hashable, Value>(
    _ value: Value, as name: Name, in kind: WritableKeyPath<Memory, [Name: Value]>
  ) {
    if memory[keyPath: kind].count >= Self.largestMemory { memory[keyPath: kind].removeAll() }
    memory[keyPath: kind][name] = value
  }
}
