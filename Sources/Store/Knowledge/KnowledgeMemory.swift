internal import Domain

/// The memory of a view, which holds until anybody commits anything.
struct KnowledgeMemory {
  struct StoredKey {
    let partner: Partner
    let digest: [UInt8]
  }

  struct VerifierName: Hashable {
    let keyID: SigningKeyID
    let projectID: ProjectID
  }

  struct Verifier {
    let key: SigningKey
    let credentials: VerificationCredentials
  }

  struct RepresentationName: Hashable {
    let id: String
    let match: BusinessMatch?
  }

  /// The largest number of entries of one kind, so that memory stays flat.
  private static let largest = 4096

  var keys: [KeyID: StoredKey] = [:]
  var standings: [String: BusinessStanding] = [:]
  var projects: [ProjectID: Project] = [:]
  var credentials: [ProjectID: LaunchCredentials] = [:]
  var webAPIKeys: [ProjectID: String] = [:]
  var signingKeys: [SigningKeyID: SigningKey] = [:]
  var verifiers: [VerifierName: Verifier] = [:]
  var representations: [RepresentationName: Representation] = [:]
  var userDigestKey: UserDigestKey?
  /// What was asked for last, beside the dictionaries: most requests repeat it, and hashing its name takes 1,500
  /// instructions.
  var lastCredentials: LaunchCredentials?
  var lastVerifier: Verifier?

  /// Remembers a value; where its kind has too many, the others are forgotten.
  mutating func remember<Name: Hashable, Value>(
    _ value: Value, as name: Name, in kind: WritableKeyPath<KnowledgeMemory, [Name: Value]>
  ) {
    if self[keyPath: kind].count >= Self.largest { self[keyPath: kind].removeAll() }
    self[keyPath: kind][name] = value
  }
}
