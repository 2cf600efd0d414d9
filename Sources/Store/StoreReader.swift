public import Domain

/// One thread's view of a store; every answer is as of the moment of the call.
public final class StoreReader {
  /// The part that admins change.
  public let knowledge: Knowledge
  /// The part that users and partners change.
  public let happenings: Happenings
  private let view: any TablesView

  init(
    _ view: any TablesView, keyRing: SharedKeyRing, searchIndex: SharedIndex, time: StoreTime
  ) {
    self.view = view
    let watch = RevisionWatch(view)
    knowledge = Knowledge(
      view, watch: watch, keyRing: keyRing, searchIndex: searchIndex, time: time)
    happenings = Happenings(view, watch: watch)
  }

  /// Whether its database was in place at the last look; it may be asked with every request.
  ///
  /// A database that was moved away may come back: ask for a new reader, which says what is wrong.
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

/// The questions of an explanation, which take both halves of the view.
extension StoreReader: ExplanationDirectory {
  /// A project, disabled or not.
  public func project(_ id: ProjectID) throws -> Project? { try knowledge.project(id) }

  /// What a verification needs to know of a signing key and a project.
  public func credentials(
    keyID: SigningKeyID, projectID: ProjectID?, at now: Timestamp
  ) throws -> BundleCredentials {
    try knowledge.credentials(keyID: keyID, projectID: projectID, at: now)
  }

  /// A signing key in whatever state, without its secret.
  public func signingKey(_ id: SigningKeyID) throws -> SigningKey? { try knowledge.signingKey(id) }

  /// An API key in whatever state, without its secret.
  public func apiKey(_ id: KeyID) throws -> APIKey? { try knowledge.apiKey(id) }

  /// The Web API Key of a project, to be compared and never shown.
  public func webAPIKey(of projectID: ProjectID) throws -> String? {
    try knowledge.webAPIKey(of: projectID)
  }

  /// Hands every project's Web API Key to `body`, to be looked for and never shown.
  public func forEachWebAPIKey(_ body: (ProjectID, String) throws -> Void) throws {
    try knowledge.forEachWebAPIKey(body)
  }

  /// Whether a business can be launched.
  public func standing(ofBusiness id: String) throws -> BusinessStanding {
    try knowledge.standing(ofBusiness: id)
  }

  /// Whether a user was logged out at the time of a launch or later.
  public func isLoggedOut(
    _ userID: String, of projectID: ProjectID, since launch: Timestamp
  ) throws -> Bool {
    try happenings.isLoggedOut(userID, of: projectID, since: launch)
  }

  /// Whether a launch was used up.
  public func isUsed(_ id: LaunchID) throws -> Bool { try happenings.isUsed(id) }
}
