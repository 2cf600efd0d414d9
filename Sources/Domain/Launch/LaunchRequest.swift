/// What a partner asks for, before anything of it is checked.
public struct LaunchRequest: Sendable {
  /// The fields that a launch may have, in the order in which faults are reported.
  public static let fields = [
    "user_id", "platform", "page", "category", "business_id", "redirect_to", "ttl_seconds",
  ]

  /// The signed-in user.
  public var userID: String?
  /// `IOS` or `ANDROID`.
  public var platform: String?
  /// A page's name.
  public var page: String?
  /// The page's category, by key or label.
  public var category: String?
  /// The page's business.
  public var businessID: String?
  /// Instead of a page: a raw path.
  public var redirectTo: String?
  /// The wished lifetime in seconds.
  public var ttlSeconds: Int64?
  /// What was found wrong while the request was read; a field named here is not checked again.
  public var faults: [Fault] = []

  /// Makes an empty request.
  public init() {}
}

/// The web view's platform, in the upstream's words.
public enum Platform: String, Sendable, CaseIterable {
  case ios = "IOS"
  case android = "ANDROID"
}

/// What is known of a business that a launch names.
public enum BusinessStanding: Sendable, Equatable {
  case active
  case inactive
  /// Not in the catalogue; with the ids of active ones that come near.
  case unknown(nearest: [String])
}

/// Looks businesses up; the catalogue's face towards launches.
public protocol BusinessDirectory {
  /// How the business `id` stands at this moment.
  func standing(ofBusiness id: String) throws -> BusinessStanding
}
