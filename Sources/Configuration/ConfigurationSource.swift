internal import Glibc
internal import YAML

/// The sources of the configuration: a file, the environment and options.
public struct ConfigurationSource: Sendable {
  /// The file that is read when neither an option nor a variable names one.
  public static let systemFile = "/etc/launchlink/launchlink.yaml"

  private let file: String?
  private let environment: [String: String]
  private let options: [String: String]
  private let systemFile: String

  /// Names the sources; `load` reads them.
  ///
  /// - Parameters:
  ///   - file: the file that `--config` names.
  ///   - environment: the process environment.
  ///   - options: settings given as options, by the setting's name.
  public init(file: String?, environment: [String: String], options: [String: String]) {
    self.init(
      file: file, environment: environment, options: options, systemFile: Self.systemFile)
  }

  /// Names the sources, with another file in place of the system's, for tests.
  init(
    file: String?, environment: [String: String], options: [String: String], systemFile: String
  ) {
    self.file = file
    self.environment = environment
    self.options = options
    self.systemFile = systemFile
  }

  /// Reads the configuration as it is now: options beat variables, variables the file, the file the defaults.
  ///
  /// - Returns: the configuration.
  /// - Throws: `ConfigurationFaults` with all faults.
  public func load() throws(ConfigurationFaults) -> LoadedConfiguration {
    let path = path
    var sources = SettingSources()
    if let path { sources.addFile(path, isNamedByVariable: file == nil && namedFile != nil) }
    sources.addVariables(environment)
    sources.addOptions(options)
    var builder = ConfigurationBuilder(sources)
    do {
      return try builder.build(file: path)
    } catch {
      throw ConfigurationFaults(all: error.all, file: path)
    }
  }

  /// A setting's text from its strongest source, also in a configuration with faults.
  ///
  /// - Parameter setting: a setting whose value is text.
  /// - Returns: the text; nil when no source sets it.
  public func text(of setting: some SettingDescription) -> String? {
    if let option = options[setting.name] { return option }
    var sources = SettingSources()
    if let path { sources.addFile(path, isNamedByVariable: false) }
    sources.addVariables(environment)
    for case .node(let node, _) in (sources.candidates[setting.name] ?? []).reversed() {
      if let text = node.string, !text.isEmpty { return text }
    }
    return nil
  }

  /// Whether the file is an open descriptor of the process, which may keep its reader waiting.
  public var mayWait: Bool { path.map(SettingSources.isStream) ?? false }

  /// The file that an option or a variable names.
  private var namedFile: String? { file ?? environment[SettingSources.fileVariable] }

  /// The file that is read; nil for none.
  private var path: String? {
    namedFile ?? (access(systemFile, F_OK) == 0 ? systemFile : nil)
  }
}
