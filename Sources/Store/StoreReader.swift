public import Domain

/// One thread's view of a store; every answer is as of the moment of the call.
public final class StoreReader {
  /// What admins change.
  public let knowledge: Knowledge
  /// What users and partners did.
  public let happenings: Happenings
  private let view: any TablesView

  init(
    _ view: any TablesView, keyRing: SharedKeyRing, searchIndex: SharedIndex, time: StoreTime
  ) {
    self.view = view
    knowledge = Knowledge(view, keyRing: keyRing, searchIndex: searchIndex, time: time)
    happenings = Happenings(view)
  }

  /// Whether it looks at the database that is in place; it may be asked with every request.
  ///
  /// A database that was replaced, or opened before a failure, wants a new reader.
  public var isCurrent: Bool { view.isInPlace }

  /// The room that the database takes on disk.
  public var sizes: DatabaseSizes { view.sizes }
}

extension TablesView {
  /// Reads rows, and says the engine's errors in the store's words.
  func translating<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      throw storeError(for: error)
    }
  }
}

/// What a verification and an explanation ask, answered by both halves of the view.
extension StoreReader: ExplanationDirectory {
  public func project(_ id: ProjectID) throws -> Project? { try knowledge.project(id) }

  public func isVerifying(keyID: SigningKeyID, at now: Timestamp) throws -> Bool {
    try knowledge.isVerifying(keyID: keyID, at: now)
  }

  public func verifier(
    keyID: SigningKeyID, projectID: ProjectID, at now: Timestamp
  ) throws -> LaunchSigner? {
    try knowledge.verifier(keyID: keyID, projectID: projectID, at: now)
  }

  public func signingKey(_ id: SigningKeyID) throws -> SigningKey? { try knowledge.signingKey(id) }

  public func apiKey(_ id: KeyID) throws -> APIKey? { try knowledge.apiKey(id) }

  public func webAPIKey(of projectID: ProjectID) throws -> String? {
    try knowledge.webAPIKey(of: projectID)
  }

  public func forEachWebAPIKey(_ body: (ProjectID, String) throws -> Void) throws {
    try knowledge.forEachWebAPIKey(body)
  }

  public func standing(ofBusiness id: String) throws -> BusinessStanding {
    try knowledge.standing(ofBusiness: id)
  }

  public func lastLogOut(of userID: String, in projectID: ProjectID) throws -> Timestamp? {
    try happenings.lastLogOut(of: userID, in: projectID)
  }

  public func isUsed(_ id: LaunchID) throws -> Bool { try happenings.isUsed(id) }
}
