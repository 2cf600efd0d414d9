/// What launches are counted by, besides the day.
public struct LaunchTally: Sendable, Hashable {
  /// Whose users they were issued for.
  public let projectID: ProjectID
  /// The API key that asked for them.
  public let keyID: KeyID
  /// The page's name, also where `redirect_to` led to it; nil for the plain base URL.
  public let page: String?
  /// Where they are opened.
  public let platform: Platform

  /// Names what is counted.
  public init(projectID: ProjectID, keyID: KeyID, page: String?, platform: Platform) {
    self.projectID = projectID
    self.keyID = keyID
    self.page = page
    self.platform = platform
  }
}

/// What was counted since it was last written down.
public struct Usage: Sendable, Equatable {
  /// How many launches were issued.
  public var launches: [LaunchTally: Int]
  /// When each API key was last accepted.
  public var lastUsed: [KeyID: Timestamp]
  /// The time that the latest of all launches is named by; nil where none was issued.
  public var latestLaunch: Timestamp?

  /// Puts a count together; an empty one unless told otherwise.
  public init(launches: [LaunchTally: Int] = [:], lastUsed: [KeyID: Timestamp] = [:]) {
    self.launches = launches
    self.lastUsed = lastUsed
  }

  /// Whether nothing was counted.
  public var isEmpty: Bool { launches.isEmpty && lastUsed.isEmpty }

  /// Adds what was counted elsewhere, or before.
  public mutating func merge(_ other: Usage) {
    launches.merge(other.launches, uniquingKeysWith: +)
    lastUsed.merge(other.lastUsed, uniquingKeysWith: max)
    latestLaunch = [latestLaunch, other.latestLaunch].compactMap(\.self).max()
  }
}
