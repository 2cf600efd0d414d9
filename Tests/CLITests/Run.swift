import Differences
import Domain
import Foundation
import Serving
import Synchronization
import Testing

@testable import CLI

/// A directory of a test's own, with an installation in it; gone when the test ends.
final class Installation: Sendable {
  static let project = "67b6f2a9688f4a05db0a1d45"
  static let webAPIKey = "wk_0123456789abcdef"

  let directory: URL
  var data: String { directory.appending(path: "data").path }

  /// The time that commands see.
  private let now = Mutex(Timestamp(seconds: 1_800_000_000))

  init() throws {
    directory = FileManager.default.temporaryDirectory
      .appending(path: "launchlink-command-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try write("", to: "empty.yaml")
  }

  deinit {
    try? FileManager.default.removeItem(at: directory)
  }

  /// An installation with a data directory.
  static func made() throws -> Installation {
    let installation = try Installation()
    installation.run("init").expect(.success)
    return installation
  }

  /// An installation with a project of gateway delivery.
  static func withProject() throws -> Installation {
    let installation = try made()
    installation.run(
      "project", "create", "--id", project, "--name", "에이스", "--web-api-key-file", "-",
      "--key-delivery", "gateway", input: webAPIKey + "\n"
    ).expect(.success)
    return installation
  }

  /// Lets time pass for the commands to come.
  func pass(seconds: Int) {
    now.withLock { $0 = $0.adding(seconds: seconds) }
  }

  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    let file = directory.appending(path: name)
    try Data(text.utf8).write(to: file)
    return file.path
  }

  /// Runs a command to its end, in this process.
  @discardableResult
  func run(
    _ arguments: String..., input: String = "", answer: String? = nil,
    environment: [String: String] = [:]
  ) -> Run {
    run(arguments, input: input, answer: answer, environment: environment)
  }

  /// Runs a command to its end; `onError` hears what it says as it says it.
  func run(
    _ arguments: [String], input: String = "", answer: String? = nil,
    environment: [String: String] = [:], signals: ServerSignals? = nil,
    onError: @escaping @Sendable (String) -> Void = { _ in }
  ) -> Run {
    let (output, errors) = (Lines(), Lines())
    let console = Console(
      readInput: { limit in
        let bytes = Array(input.utf8)
        guard bytes.count <= limit else { throw CommandFailure(.badData, "The input is too long.") }
        return bytes
      },
      readLine: { isShown in
        // A terminal echoes what is typed.
        if isShown { errors.add(Array((answer ?? "").utf8)) }
        return answer
      }, isInteractive: answer != nil,
      write: { output.add($0) },
      writeError: { bytes in
        errors.add(bytes)
        onError(String(decoding: bytes, as: UTF8.self))
      })
    let variables = ["LAUNCHLINK_CONFIG": directory.appending(path: "empty.yaml").path]
      .merging(environment) { $1 }
    let program = Program(
      arguments: ["--data-directory", data] + arguments, environment: variables, console: console,
      clock: { self.now.withLock { $0 } },
      signals: signals ?? ServerSignals(hold: {}, next: { .stop }))
    let status = program.run()
    return Run(
      status: status, output: output.text, errors: errors.text)
  }
}

/// What was written to a stream.
final class Lines: Sendable {
  private let bytes = Mutex<[UInt8]>([])

  func add(_ more: [UInt8]) {
    bytes.withLock { $0 += more }
  }

  var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
}

/// What a command did.
struct Run {
  let status: Int32
  let output: String
  let errors: String

  /// Checks the status, and that a failure said why.
  @discardableResult
  func expect(
    _ code: ExitCode, _ words: String..., location: SourceLocation = #_sourceLocation
  ) -> Run {
    #expect(status == code.rawValue, "\(errors.prefix(500))", sourceLocation: location)
    for word in words {
      #expect(
        excerpt(of: errors, around: word) != nil, "\(word) is not in: \(errors.prefix(500))",
        sourceLocation: location)
    }
    if code != .success {
      #expect(!errors.isEmpty, sourceLocation: location)
    }
    return self
  }

  /// The object that it printed.
  func json(location: SourceLocation = #_sourceLocation) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(output.utf8))
    return try #require(object as? [String: Any], sourceLocation: location)
  }

  /// The items of the list that it printed.
  func items(location: SourceLocation = #_sourceLocation) throws -> [[String: Any]] {
    try #require(json()["items"] as? [[String: Any]], sourceLocation: location)
  }
}

extension [String: Any] {
  /// A member that is a string, for comparing.
  func text(_ name: String) -> String? { self[name] as? String }
}
