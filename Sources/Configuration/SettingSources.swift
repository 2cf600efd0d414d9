import Domain
import JSON
import Platform
import YAML

/// The values that the file, the environment and options hold for settings, before they are read.
struct SettingSources {
  /// A value as its source holds it, or why it could not be parsed.
  enum Candidate {
    case node(YAML.Node, SettingOrigin)
    case fault(ConfigurationFault)
  }

  /// The values by the setting's name; a stronger source comes after a weaker one.
  private(set) var candidates: [String: [Candidate]] = [:]
  private(set) var faults: [ConfigurationFault] = []

  private static let sizeLimit = 1 << 20
  private static let prefix = "LAUNCHLINK_"
  /// The variable that names the file, and so is no setting.
  static let fileVariable = "LAUNCHLINK_CONFIG"
  fileprivate static let noValue = "There is no value. Leave it out instead."

  /// Whether a path names an open descriptor, such as the one that a shell makes for `<(…)`.
  static func isStream(_ path: String) -> Bool {
    ["/dev/stdin", "/dev/fd/", "/proc/self/fd/"].contains { path.hasPrefix($0) }
  }

  /// Adds the values of a file.
  mutating func addFile(_ path: String, isNamedByVariable: Bool) {
    if path.isEmpty {
      let origin = isNamedByVariable ? SettingOrigin.variable(Self.fileVariable) : .option("config")
      faults.append(.init(origin: origin, place: nil, setting: "", message: Self.noValue))
      return
    }
    let origin = SettingOrigin.file(path)
    do {
      let text = try readFile(path, limit: Self.sizeLimit, isPlain: !Self.isStream(path))
      guard let root = try YAML.parse(text) else { return }
      addSection(root, prefix: "", origin: origin)
    } catch let error as YAMLError {
      let place = ConfigurationFault.Place(line: error.line, column: error.column)
      faults.append(.init(origin: origin, place: place, setting: "", message: error.message))
    } catch {
      faults.append(.init(origin: origin, place: nil, setting: "", message: "\(error)"))
    }
  }

  private mutating func addSection(_ node: YAML.Node, prefix: String, origin: SettingOrigin) {
    guard let mapping = node.mapping else {
      var reader = SettingReader(origin: origin, setting: prefix.isEmpty ? "" : prefix)
      reader.fault(at: node, "This has to be a map of settings.")
      faults += reader.faults
      return
    }
    for (key, value) in mapping {
      let name = (prefix.isEmpty ? "" : prefix + ".") + (key.string ?? "")
      if Settings.names.contains(name) {
        if !value.isNull { candidates[name, default: []].append(.node(value, origin)) }
      } else if Settings.names.contains(where: { $0.hasPrefix(name + ".") }) {
        if !value.isNull { addSection(value, prefix: name, origin: origin) }
      } else {
        var reader = SettingReader(origin: origin, setting: shortened(name))
        reader.fault(
          at: key, "There is no such setting" + didYouMean(name, Settings.names).closed)
        faults += reader.faults
      }
    }
  }

  /// Adds the values of variables; an unknown one that begins with `LAUNCHLINK_` is a fault.
  mutating func addVariables(_ environment: [String: String]) {
    for (name, text) in environment.sorted(by: { $0.key < $1.key }) {
      guard name.hasPrefix(Self.prefix), name != Self.fileVariable else { continue }
      guard let setting = Settings.all.first(where: { $0.variable == name }) else {
        let known = Settings.all.map(\.variable) + [Self.fileVariable]
        faults.append(
          .init(
            origin: .variable(name), place: nil, setting: "",
            message: "There is no such setting" + didYouMean(name, known).closed))
        continue
      }
      candidates[setting.name, default: []].append(
        .reading(text, isText: setting.isText, origin: .variable(name)))
    }
  }

  /// An unknown name, short enough for a message.
  private func shortened(_ name: String) -> String {
    (name.count > 60 ? name.prefix(60) + "…" : name[...]).withUnseenEscaped
  }

  /// Adds the values of options, by the setting's name.
  mutating func addOptions(_ options: [String: String]) {
    for setting in Settings.all {
      guard let text = options[setting.name] else { continue }
      candidates[setting.name, default: []].append(
        .reading(text, isText: setting.isText, origin: .option(setting.option)))
    }
  }
}

extension SettingSources.Candidate {
  /// A value that is not from the file: the text itself when `isText`, otherwise YAML.
  static func reading(_ text: String, isText: Bool, origin: SettingOrigin) -> Self {
    var source = Array(text.utf8)
    if isText {
      // A JSON string is a YAML scalar in which nothing is syntax.
      source = []
      JSON.appendString(text, to: &source)
    }
    do throws(YAMLError) {
      if let node = try YAML.parse(source) { return .node(node, origin) }
      return .fault(
        ConfigurationFault(
          origin: origin, place: nil, setting: "",
          message: SettingSources.noValue))
    } catch {
      return .fault(
        ConfigurationFault(
          origin: origin, place: .init(line: error.line, column: error.column), setting: "",
          message: error.message))
    }
  }
}
