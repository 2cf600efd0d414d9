import Configuration
import Domain
internal import Encoding
import Store

/// `launchlink launch`.
struct IssueLaunch: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "launch", abstract: "Issue a launch, to try one out.",
      discussion: """
        Gives what POST /launch gives. The launch works like any other, so it is recorded in the audit
        log; keep it to yourself.
        """,
      examples: [
        "launchlink launch --project 67b6f2a9688f4a05db0a1d45 --user-id USER-123 --platform IOS \\",
        "  --page program --business-id 11st --curl",
      ])
  }

  @Option("PROJECT", help: "The project, by its id or its name.") var project: ProjectReference
  @Option("USER", help: "The signed-in user.") var userID: String
  @Option(help: "The web view's platform.") var platform: Platform
  @Option(
    "NAME", help: "The page, such as program; without it, the start page.", completion: .pages)
  var page: String?
  @Option("CATEGORY", help: "The page's category, by key or label.", completion: .categories)
  var category: String?
  @Option("ID", help: "The page's business.", completion: .identifiers(.business)) var businessID:
    String?
  @Option("PATH", help: "Instead of a page: a raw, unencoded path.") var redirectTo: String?
  @Option("SECONDS", help: "Lifetime; without it, the project's.") var ttlSeconds: Int?
  @Flag(help: "Print a curl command that makes the request.") var curl: Bool

  func run(in context: Context) throws {
    let issuer = LaunchIssuer(site: try context.configuration().site)
    let store = try context.store()
    let reader = try store.makeReader()
    let project = try project.find(in: reader).id
    var issued: Launch?
    do {
      try store.issueLaunch(of: project, by: context.actor) { credentials, clock in
        let launch = try issuer.issue(
          request, with: credentials, directory: reader, at: context.clock(), by: clock,
          using: &context.generator)
        issued = launch
        return LaunchRecord(
          launch.id, of: userID, on: platform, page: page, redirectTo: launch.redirectTo)
      }
    } catch let faults as FieldFaults {
      throw CommandFailure(.badData, Self.message(faults))
    }
    if let issued { try show(issued, in: context) }
  }

  private func show(_ launch: Launch, in context: Context) throws {
    if curl {
      try context.console.write(Array(ShellCommand.curl(launch).utf8))
    } else {
      try context.show(
        launch.json,
        table: Table.properties(
          [("Launch ID", launch.id.description), ("URL", launch.url)]
            + launch.headers.map { ("Header", "\($0.name): \($0.value)") } + [
              ("Deep link", launch.deepLink),
              ("Expires", "\(launch.expiresAt), in \(launch.expiresIn) s"),
            ]))
    }
  }

  private var request: LaunchRequest {
    var request = LaunchRequest()
    request.userID = userID
    request.platform = platform.rawValue
    request.page = page
    request.category = category
    request.businessID = businessID
    request.redirectTo = redirectTo
    request.ttlSeconds = ttlSeconds.map(Int64.init)
    return request
  }

  private static func message(_ faults: FieldFaults) -> String {
    let lines = faults.all.map { fault in
      "  --\(fault.field.map { $0 == "_" ? "-" : $0 }.map(String.init).joined()): "
        + "\(fault.detail) (\(fault.code.rawValue))"
    }
    return "The launch is refused:\n" + lines.joined(separator: "\n")
  }
}

/// Commands to paste into a shell.
enum ShellCommand {
  /// A curl command that makes the launch's request.
  static func curl(_ launch: Launch) -> String {
    let headers = launch.headers.map { "  --header \(quoted("\($0.name): \($0.value)"))" }
    return (["curl \(quoted(launch.url))"] + headers).joined(separator: " \\\n") + "\n"
  }

  /// The text as one word of a POSIX shell (POSIX.1-2017, Shell Command Language, 2.2.2).
  static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
      + "'"
  }
}
