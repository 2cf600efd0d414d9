import JSON
import YAML

/// One setting: its name, how it is read and shown, and what counts without it.
public struct Setting<Value: Sendable>: Sendable {
  /// As in the file, a nested one with its section: `limits.connections`.
  public let name: String
  /// The default as it would stand in the file; nil where `fallback` finds it.
  let standard: String?
  let rule: SettingRule<Value>
  /// The default that only the machine knows.
  let fallback: Value?

  init(_ name: String, _ rule: SettingRule<Value>, standard: String) {
    self.name = name
    self.rule = rule
    self.standard = standard
    fallback = nil
  }

  init(_ name: String, _ rule: SettingRule<Value>, fallback: Value) {
    self.name = name
    self.rule = rule
    self.fallback = fallback
    standard = nil
  }
}

/// A setting, whatever the type of its value.
public protocol SettingDescription: Sendable {
  /// As in the file, a nested one with its section: `limits.connections`.
  var name: String { get }
  /// Whether a variable's text is the value itself rather than YAML.
  var isText: Bool { get }
}

extension Setting: SettingDescription {
  /// Whether a variable's text is the value itself rather than YAML.
  public var isText: Bool { rule.isText }
}

extension SettingDescription {
  /// The environment variable, such as `LAUNCHLINK_LIMITS_CONNECTIONS`.
  public var variable: String {
    "LAUNCHLINK_" + name.map { $0 == "." ? "_" : $0.uppercased() }.joined()
  }

  /// The option of the commands that take it, without dashes.
  public var option: String {
    String(name.map { $0 == "_" || $0 == "." ? "-" : $0 })
  }
}

/// How the values of a setting are read and shown.
struct SettingRule<Value: Sendable>: Sendable {
  var isText = false
  /// Reads a node, or reports what is wrong and returns nil.
  let read: @Sendable (YAML.Node, inout SettingReader) -> Value?
  let show: @Sendable (Value) -> JSON
}

/// Collects what is wrong with one value of one setting.
struct SettingReader {
  let origin: SettingOrigin
  let setting: String
  var faults: [ConfigurationFault] = []

  /// Reports a fault of the setting as a whole.
  mutating func fault(at node: YAML.Node, _ message: String) {
    fault(at: node, "", message)
  }

  /// Reports a fault of a part of the setting, such as `production.base_url`.
  mutating func fault(at node: YAML.Node, _ path: String, _ message: String) {
    let place = ConfigurationFault.Place(line: node.line, column: node.column)
    let isPlaced =
      switch origin {
      case .file: true
      // The value of a variable starts at its first character, which is no news.
      case .variable: node.column > 1
      case .standard, .option: false
      }
    faults.append(
      ConfigurationFault(
        origin: origin, place: isPlaced ? place : nil,
        setting: path.isEmpty ? setting : setting + "." + path, message: message))
  }
}
