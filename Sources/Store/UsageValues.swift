/// A property that launches are counted by.
public enum LaunchProperty: String, Sendable, CaseIterable {
  case project
  case key
  case page
  case platform
  case day
}

/// The number of launches that have one value of a property.
public struct LaunchCount: Sendable, Equatable {
  /// The number of newest days whose counts are kept: a year, and a month to compare with.
  public static let daysKept = 400

  /// The value: an id, a page's name (empty for the plain base URL), a platform or a date.
  public let value: String
  /// Launches that have it; at least 1.
  public let launches: Int

  /// Puts a count together.
  public init(value: String, launches: Int) {
    self.value = value
    self.launches = launches
  }
}
