/// Where the value of a setting comes from.
public enum SettingOrigin: Sendable, Equatable {
  /// The default.
  case standard
  /// The file of this path.
  case file(String)
  /// The environment variable of this name.
  case variable(String)
  /// The option of this name, without dashes.
  case option(String)
}

extension SettingOrigin {
  /// The origin with the place in it, such as `launchlink.yaml:3:9` or `$LAUNCHLINK_LISTEN`.
  public func description(at place: ConfigurationFault.Place?) -> String {
    switch self {
    case .standard: "default"
    case .file(let path): place.map { "\(path):\($0.line):\($0.column)" } ?? path
    case .variable(let name): "$" + name + (place.map { ", character \($0.column)" } ?? "")
    case .option(let name): "--" + name
    }
  }
}

/// One thing wrong with the configuration.
public struct ConfigurationFault: Sendable, Equatable {
  /// Where the value comes from.
  public let origin: SettingOrigin
  /// Where in the file or, for a map in a variable, in its value.
  public let place: Place?
  /// The setting, such as `upstreams.production.base_url`; empty where it is about no setting.
  public let setting: String
  /// What is wrong, what is allowed, what may have been meant.
  public let message: String
  /// What the fault lies in.
  var kind = SetupError.Kind.configuration

  /// A line and a column, both from 1.
  public struct Place: Sendable, Equatable {
    let line: Int
    let column: Int
  }

  /// The fault with its place and its setting.
  public var description: String {
    let subject = setting.isEmpty ? "" : setting + ": "
    return "\(origin.description(at: place)): \(subject)\(message)"
  }

  /// The fault with the setting that it is about.
  func naming(_ setting: String) -> Self {
    .init(origin: origin, place: place, setting: setting, message: message)
  }
}

/// Everything wrong with the configuration, in the order in which it was found; never empty.
public struct ConfigurationFaults: Error, CustomStringConvertible {
  /// The faults.
  public let all: [ConfigurationFault]
  /// The file that was read, or was to be read.
  public internal(set) var file: String?

  /// The faults' own kind where they agree.
  public var kind: SetupError.Kind {
    all.dropFirst().allSatisfy { $0.kind == all.first?.kind }
      ? all.first?.kind ?? .configuration : .configuration
  }

  /// All faults, a line each.
  public var description: String {
    let count = all.count == 1 ? "a fault" : "\(all.count) faults"
    return "The configuration has \(count):\n"
      + all.map { "  " + $0.description }.joined(separator: "\n")
  }
}
