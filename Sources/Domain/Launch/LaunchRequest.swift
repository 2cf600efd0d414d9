/// What a partner asks for, not yet checked.
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
  /// A raw path, instead of a page.
  public var redirectTo: String?
  /// The wished lifetime in seconds.
  public var ttlSeconds: Int64?
  /// The faults found while the request was read; a field named here is not checked again.
  public var faults: [FieldFault] = []

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
  /// Not in the catalogue; `nearest` are similar IDs of active businesses.
  case unknown(nearest: [String])
}

/// Looks up businesses for launches.
public protocol BusinessDirectory {
  /// The standing of the business `id` at this moment.
  func standing(ofBusiness id: String) throws -> BusinessStanding
}
