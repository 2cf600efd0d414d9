import Configuration
import Cryptography
import Domain
import JSON
import Serving
import Store

/// Everything outside of a command that it uses, as values.
final class Context {
  let globals: GlobalOptions
  let environment: [String: String]
  let console: Console
  let clock: Clock
  let signals: ServerSignals
  let serviceManager: ServiceManager
  /// The source of random bits.
  var generator = SecureRandom()
  private var loaded: LoadedConfiguration?

  init(
    globals: GlobalOptions, environment: [String: String], console: Console,
    clock: @escaping Clock, signals: ServerSignals, serviceManager: ServiceManager
  ) {
    self.globals = globals
    self.environment = environment
    self.console = console
    self.clock = clock
    self.signals = signals
    self.serviceManager = serviceManager
  }

  // MARK: Configuration and store

  /// The configuration in effect.
  ///
  /// - Returns: the settings' values.
  /// - Throws: `ConfigurationFaults`.
  func configuration() throws -> Configuration {
    if let loaded { return loaded.configuration }
    return try keptConfiguration(from: source()).configuration
  }

  /// Reads the configuration and keeps it as the one in effect.
  ///
  /// - Parameter source: the sources.
  /// - Returns: the configuration with each setting's source.
  /// - Throws: `ConfigurationFaults`.
  func keptConfiguration(from source: ConfigurationSource) throws -> LoadedConfiguration {
    let configuration = try source.load()
    loaded = configuration
    return configuration
  }

  /// The sources of the configuration.
  ///
  /// - Parameter options: settings given as options of the command, by the setting's name.
  /// - Returns: the file, the variables and the options.
  func source(options: [String: String] = [:]) -> ConfigurationSource {
    var options = options
    options[Settings.dataDirectory.name] = globals.dataDirectory
    return ConfigurationSource(file: globals.config, environment: environment, options: options)
  }

  /// Opens the store as the data directory's owner.
  func store() throws -> Store {
    try dataDirectory().open(clock: clock, note: note)
  }

  /// The data directory of the configuration.
  func dataDirectory() throws -> DataDirectory {
    // Asked before the process becomes the owner: afterwards nothing tells who ran it.
    _ = actor
    return try DataDirectory(configuration(), environment: environment)
  }

  /// The user who makes changes, for the audit log.
  private(set) lazy var actor = Actor.current(environment: environment)

  // MARK: Output

  /// Prints the result in the format of `--output`.
  func show(_ json: @autoclosure () -> JSON, table: @autoclosure () -> String) throws {
    switch globals.output {
    case .json: try console.write(json().encoded(pretty: true) + [UInt8(ascii: "\n")])
    case .table: try console.write(Array(table().utf8))
    }
  }

  /// Prints a list as `{"items": […]}` or as a table; an empty table is replaced by the note `none`.
  func show<Item>(
    _ items: [Item], json: (Item) -> JSON, headings: [String], none: String,
    row: (Item) -> [String]
  ) throws {
    if items.isEmpty, globals.output == .table {
      note(none)
      return
    }
    try show(
      ["items": .array(items.map(json))],
      table: Table(headings: headings, rows: items.map(row)).text)
  }

  /// Prints a message on standard error.
  func note(_ message: String) {
    console.say(message)
  }

  /// Prints a warning on standard error.
  func warn(_ message: String) {
    note("warning: " + message)
  }

  // MARK: Asking

  /// Asks before something is destroyed; without a terminal `--yes` is required.
  ///
  /// - Parameters:
  ///   - question: such as `Delete project …?`.
  ///   - facts: what is shown with the question, such as the last use.
  /// - Throws: `CommandFailure` when the answer is not yes.
  func confirm(_ question: String, about facts: [(name: String, value: String)] = []) throws {
    if globals.yes { return }
    guard console.isInteractive else {
      throw CommandFailure(
        .usage,
        question.withUnseenEscaped
          + " There is no terminal to ask on: say --yes where you mean it.")
    }
    try ask(question, about: facts)
  }

  /// Asks on a terminal before something that cuts users off and can be undone; scripts are not asked.
  ///
  /// - Parameters:
  ///   - question: such as `Disable project …?`.
  ///   - facts: what is shown with the question, such as the last use.
  /// - Throws: `CommandFailure` when the answer is not yes.
  func confirmOnTerminal(
    _ question: String, about facts: [(name: String, value: String)]
  ) throws {
    if globals.yes || !console.isInteractive { return }
    try ask(question, about: facts)
  }

  private func ask(_ question: String, about facts: [(name: String, value: String)]) throws {
    let text = Table.properties(facts) + question.withUnseenEscaped + " [y/N] "
    console.writeError(Array(text.utf8))
    let answer = console.readLine(true)?.lowercased() ?? ""
    guard answer == "y" || answer == "yes" else {
      throw CommandFailure(.refused, "Nothing was changed.")
    }
  }
}
