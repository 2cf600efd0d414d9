import Configuration
import Serving

/// `launchlink serve`.
struct ServeCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "serve", abstract: "Serve the API until SIGTERM, SIGQUIT or SIGINT.",
      discussion: """
        Two listeners: the API, and operations (/healthz, /readyz, /metrics), which belongs on an address that
        partners cannot reach. Port 0 takes a free one. SIGHUP has it take over the configuration as it
        is then.
        """,
      examples: ["launchlink serve --listen 127.0.0.1:8080 --operations-listen 127.0.0.1:9464"])
  }

  @Option("ADDRESS", help: "The address on which the API listens, such as 127.0.0.1:8080.")
  var listen: String?
  @Option("ADDRESS", help: "The address on which operations listens.") var operationsListen: String?
  @Option("COUNT", help: "The number of threads that answer requests.") var workers: String?

  func run(in context: Context) throws {
    // Threads inherit blocked signals, so they are held before anything may start a thread.
    context.signals.hold()
    let sockets = try ServingSockets(context.serviceManager.takeSockets())
    let source = context.source(options: settings)
    let loaded = try context.keptConfiguration(from: source)
    let console = context.console
    var process = try ServerProcess(
      loaded, store: context.store(), sockets: sockets,
      in: .init(
        version: Program.version, load: source.load, clock: context.clock, signals: context.signals,
        serviceManager: context.serviceManager, say: { console.say($0) }))
    try process.run()
  }

  /// The settings that options give, by name.
  private var settings: [String: String] {
    var settings: [String: String] = [:]
    settings[Settings.listen.name] = listen
    settings[Settings.operationsListen.name] = operationsListen
    settings[Settings.workers.name] = workers
    return settings
  }
}
