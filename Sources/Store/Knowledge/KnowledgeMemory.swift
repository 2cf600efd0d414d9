internal import Domain

/// The memory of a view, which holds until an admin changes something.
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

  /// The largest number of values of one kind, so that memory stays flat.
  private static let largest = 4096

  /// The revision of the knowledge that is remembered.
  let revision: Int
  var keys = BoundedMemory<KeyID, StoredKey>(limit: largest)
  var standings = BoundedMemory<String, BusinessStanding>(limit: largest)
  var projects = BoundedMemory<ProjectID, Project>(limit: largest)
  var credentials = BoundedMemory<ProjectID, LaunchCredentials>(limit: largest)
  var webAPIKeys = BoundedMemory<ProjectID, String>(limit: largest)
  var signingKeys = BoundedMemory<SigningKeyID, SigningKey>(limit: largest)
  var verifiers = BoundedMemory<VerifierName, Verifier>(limit: largest)
  var representations = BoundedMemory<RepresentationName, Representation>(limit: largest)
  var userDigestKey: UserDigestKey?
  /// What was asked for last, beside the dictionaries: most requests repeat it, and hashing its name takes 1,500
  /// instructions.
  var lastCredentials: LaunchCredentials?
  var lastVerifier: Verifier?

  /// Makes an empty memory.
  init(of revision: Int) {
    self.revision = revision
  }
}
