/// What launches are counted by, in addition to the day.
public struct LaunchTally: Sendable, Hashable {
  /// Whose users they were issued for.
  public let projectID: ProjectID
  /// The API key that asked for them.
  public let keyID: KeyID
  /// The page's name, also where `redirect_to` led to it; nil for the plain base URL.
  public let page: String?
  /// Where they are opened.
  public let platform: Platform

  /// Puts a tally together.
  public init(projectID: ProjectID, keyID: KeyID, page: String?, platform: Platform) {
    self.projectID = projectID
    self.keyID = keyID
    self.page = page
    self.platform = platform
  }
}

/// The counts since the last write to the store.
public struct Usage: Sendable, Equatable {
  /// How many launches were issued.
  public var launches: [LaunchTally: Int]
  /// When each API key was last accepted.
  public var lastUsed: [KeyID: Timestamp]
  /// The time in the latest launch's ID; nil where none was issued.
  public var latestLaunch: Timestamp?

  /// Makes a count of its parts; empty by default.
  public init(launches: [LaunchTally: Int] = [:], lastUsed: [KeyID: Timestamp] = [:]) {
    self.launches = launches
    self.lastUsed = lastUsed
  }

  /// Whether nothing was counted.
  public var isEmpty: Bool { launches.isEmpty && lastUsed.isEmpty }

  /// Adds other counts.
  public mutating func merge(_ other: Usage) {
    launches.merge(other.launches, uniquingKeysWith: +)
    lastUsed.merge(other.lastUsed, uniquingKeysWith: max)
    latestLaunch = [latestLaunch, other.latestLaunch].compactMap(\.self).max()
  }

  /// Takes counts out, with the time of the latest launch.
  ///
  /// - Parameter count: the most of a kind that are taken.
  /// - Returns: what was taken.
  public mutating func take(atMost count: Int) -> Usage {
    var taken = Usage(
      launches: Dictionary(uniqueKeysWithValues: launches.prefix(count).map { ($0.key, $0.value) }),
      lastUsed: Dictionary(uniqueKeysWithValues: lastUsed.prefix(count).map { ($0.key, $0.value) }))
    for tally in taken.launches.keys { launches[tally] = nil }
    for keyID in taken.lastUsed.keys { lastUsed[keyID] = nil }
    taken.latestLaunch = latestLaunch
    return taken
  }
}
