/// The source of a setting's value.
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
  /// The origin with a place in it, such as `launchlink.yaml:3:9` or `$LAUNCHLINK_LISTEN`.
  public func description(at place: ConfigurationFault.Place?) -> String {
    switch self {
    case .standard: "default"
    case .file(let path): place.map { "\(path):\($0.line):\($0.column)" } ?? path
    case .variable(let name): "$" + name + (place.map { ", character \($0.column)" } ?? "")
    case .option(let name): "--" + name
    }
  }
}

/// A fault of the configuration.
public struct ConfigurationFault: Sendable, Equatable {
  /// The source of the faulty value.
  public let origin: SettingOrigin
  /// The place in the file, or in a variable's value that is a map.
  public let place: Place?
  /// The setting, such as `upstreams.production.base_url`; empty for a fault of the whole file or variable.
  public let setting: String
  /// What is wrong, what is allowed, and the nearest allowed name.
  public let message: String
  /// What kind of obstacle the fault is.
  var kind = SetupError.Kind.configuration

  /// A line and a column, counted from 1.
  public struct Place: Sendable, Equatable {
    let line: Int
    let column: Int
  }

  /// The fault after its place and its setting.
  public var description: String {
    let subject = setting.isEmpty ? "" : setting + ": "
    return "\(origin.description(at: place)): \(subject)\(message)"
  }

  /// The fault as one of a setting.
  func naming(_ setting: String) -> Self {
    .init(origin: origin, place: place, setting: setting, message: message)
  }
}

/// All faults of the configuration, at least one, in the order in which they were found.
public struct ConfigurationFaults: Error, CustomStringConvertible {
  /// The faults.
  public let all: [ConfigurationFault]
  /// The configuration's file, whether or not it could be read.
  public internal(set) var file: String?

  /// The kind that all faults share; `configuration` where they differ.
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
