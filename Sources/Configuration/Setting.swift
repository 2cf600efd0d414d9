import JSON
import YAML

/// A setting: its name, its default, and how its values are read and shown.
public struct Setting<Value: Sendable>: Sendable {
  /// The name in the file, after the section if it has one: `limits.connections`.
  public let name: String
  /// The default as the file would hold it; nil when `fallback` is the default.
  let standard: String?
  let rule: SettingRule<Value>
  /// The default that the file cannot hold, such as the number of processors.
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

/// A setting without the type of its value.
public protocol SettingDescription: Sendable {
  /// The name in the file, after the section if it has one: `limits.connections`.
  var name: String { get }
  /// Whether a variable's text is the value itself and not YAML.
  var isText: Bool { get }
}

extension Setting: SettingDescription {
  /// Whether a variable's text is the value itself and not YAML.
  public var isText: Bool { rule.isText }
}

extension SettingDescription {
  /// The environment variable, such as `LAUNCHLINK_LIMITS_CONNECTIONS`.
  public var variable: String {
    "LAUNCHLINK_" + name.map { $0 == "." ? "_" : $0.uppercased() }.joined()
  }

  /// The option in commands that take the setting, without dashes.
  public var option: String {
    String(name.map { $0 == "_" || $0 == "." ? "-" : $0 })
  }
}

/// How the values of a setting are read and shown.
struct SettingRule<Value: Sendable>: Sendable {
  var isText = false
  /// Reads a node; nil after reporting a fault.
  let read: @Sendable (YAML.Node, inout SettingReader) -> Value?
  let show: @Sendable (Value) -> JSON
}

/// Collects the faults of a setting's value.
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
      // Every variable's value starts at its first character; that place says nothing.
      case .variable: node.column > 1
      case .standard, .option: false
      }
    faults.append(
      ConfigurationFault(
        origin: origin, place: isPlaced ? place : nil,
        setting: path.isEmpty ? setting : setting + "." + path, message: message))
  }
}
