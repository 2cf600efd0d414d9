public import Domain
import Glibc
public import Serving
import Store

/// The program `launchlink`: a command line and everything outside that it uses, as values.
public struct Program {
  /// The version, as the API's description has it.
  static let version = "0.1.0"

  private let arguments: [String]
  private let environment: [String: String]
  private let console: Console
  private let clock: Clock
  private let signals: ServerSignals
  private let serviceManager: ServiceManager

  /// Makes a run of the program; `arguments` do not include its name.
  public init(
    arguments: [String], environment: [String: String], console: Console,
    clock: @escaping Clock, signals: ServerSignals, serviceManager: ServiceManager = .none
  ) {
    self.arguments = arguments
    self.environment = environment
    self.console = console
    self.clock = clock
    self.signals = signals
    self.serviceManager = serviceManager
  }

  /// Runs the command line of this process.
  ///
  /// - Returns: the exit status, one of sysexits.h.
  public static func runProcess() -> Int32 {
    let input = ProcessInput.ofProcess
    guard input.faults.isEmpty || input.arguments.first == CompleteCommand.name else {
      Console.process.say(
        input.faults.map { "launchlink: \($0)" }.joined(separator: "\n")
          + "\nSay it in UTF-8. A file whose name is not needs another name, or a link to it.")
      return ExitCode.usage.rawValue
    }
    return Program(
      arguments: input.arguments, environment: input.environment, console: .process,
      clock: {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
      },
      signals: .process, serviceManager: .process
    ).run()
  }

  /// Runs the command line.
  ///
  /// - Returns: the exit status, one of sysexits.h.
  public func run() -> Int32 {
    if arguments.first == CompleteCommand.name { return complete() }
    let globals = GlobalOptions()
    do {
      let invocation = try CommandParser.parse(
        arguments, root: LaunchLinkCommand.self, globals: globals)
      let context = Context(
        globals: globals, environment: environment, console: console, clock: clock,
        signals: signals, serviceManager: serviceManager)
      switch invocation {
      case .help(let text): try console.write(Array(text.utf8))
      case .version: try VersionCommand().run(in: context)
      case .run(let command, let path): return run(command, path: path, in: context)
      }
      return ExitCode.success.rawValue
    } catch let failure as ParsingFailure {
      return end(with: CommandFailure(.usage, failure.message), path: failure.path)
    } catch {
      return end(with: CommandFailure(describing: error), path: ["launchlink"])
    }
  }

  /// Answers a shell's completions, which never see an error.
  private func complete() -> Int32 {
    let command = CompleteCommand(arguments.dropFirst(), environment: environment)
    try? console.write(Array(command.output.utf8))
    return ExitCode.success.rawValue
  }

  private func run(_ command: any ParsableCommand, path: [String], in context: Context) -> Int32 {
    do {
      try command.run(in: context)
      return ExitCode.success.rawValue
    } catch {
      return end(with: CommandFailure(describing: error), path: path)
    }
  }

  private func end(with failure: CommandFailure, path: [String]) -> Int32 {
    let name = path.joined(separator: " ")
    if !failure.message.isEmpty { console.say("\(name): \(failure.message)") }
    if failure.code == .usage { console.say("See \(name) --help.") }
    return failure.code.rawValue
  }
}
