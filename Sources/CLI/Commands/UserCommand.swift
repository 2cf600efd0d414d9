import Domain
import JSON
import Store

/// `launchlink user …`.
struct UserCommand: CommandGroup {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "user", abstract: "Log partners' users out.",
      examples: ["launchlink user revoke --project 67b6f2a9688f4a05db0a1d45 --user-id USER-123"],
      subcommands: [UserRevoke.self])
  }
}

/// `launchlink user revoke`.
struct UserRevoke: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "revoke", abstract: "Refuse every bundle issued to a user up to now.",
      discussion: """
        What POST /launch/revoke does for the partner's backend. A launch issued afterwards works. Where a
        verifier outside checks with an exported key, it does not learn of it.
        """,
      examples: ["launchlink user revoke --project 67b6f2a9688f4a05db0a1d45 --user-id USER-123"])
  }

  @Option("PROJECT", help: "The project, by its id or its name.") var project: ProjectReference
  @Option("USER", help: "The user, as the partner's backend names it.") var userID: String

  func run(in context: Context) throws {
    var request = LaunchRequest()
    request.userID = userID
    if let fault = LaunchIssuer.faultsOfUser(in: request)?.all.first {
      throw CommandFailure(.usage, "--user-id: \(fault.detail)")
    }
    let store = try context.store()
    let project = try project.find(in: store.makeReader()).id
    let time = try store.logOut(userID, of: project, by: context.actor)
    try context.show(
      ["project_id": .string(project.description), "revoked_until": JSON(time)],
      table: "Every bundle issued to the user until \(time) is refused.\n")
  }
}
