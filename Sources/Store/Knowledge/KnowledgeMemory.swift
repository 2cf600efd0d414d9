internal import Domain

/// What a view remembers of the rows, for as long as nobody commits anything.
struct KnowledgeMemory {
  struct StoredKey {
    let partner: Partner
    let digest: [UInt8]
  }

  struct VerifierName: Hashable {
    let keyID: SigningKeyID
    let projectID: ProjectID
  }

  struct RepresentationName: Hashable {
    let id: String
    let match: BusinessMatch?
  }

  /// Entries of one kind that are remembered at most, so that memory stays flat.
  private static let largest = 4096

  var keys: [KeyID: StoredKey] = [:]
  var standings: [String: BusinessStanding] = [:]
  var projects: [ProjectID: Project] = [:]
  var credentials: [ProjectID: LaunchCredentials] = [:]
  var webAPIKeys: [ProjectID: String] = [:]
  var signingKeys: [SigningKeyID: SigningKey] = [:]
  var verifiers: [VerifierName: LaunchSigner] = [:]
  var representations: [RepresentationName: Representation] = [:]
  var userDigestKey: UserDigestKey?

  /// Remembers a value, in place of all others of its kind where those are too many.
  mutating func remember<Name: Hashable, Value>(
    _ value: Value, as name: Name, in kind: WritableKeyPath<KnowledgeMemory, [Name: Value]>
  ) {
    if self[keyPath: kind].count >= Self.largest { self[keyPath: kind].removeAll() }
    self[keyPath: kind][name] = value
  }
}
