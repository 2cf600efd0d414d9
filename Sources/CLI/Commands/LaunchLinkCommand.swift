/// The whole program: every command hangs below it.
struct LaunchLinkCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "launchlink",
      abstract: "Signed, short-lived launches of the Moment cashback web view.",
      discussion: """
        A server that partner backends ask for launches, and the commands to run it. Data goes to
        standard output, messages to standard error; exit statuses are those of sysexits.h, and 1 where
        something is not found, exists already or is in use. Arguments, variables and names of files are
        UTF-8.
        """,
      examples: [
        "launchlink init",
        "launchlink project create --id 67b6f2a9688f4a05db0a1d45 --name Acme \\",
        "  --web-api-key-file key.txt --key-delivery gateway",
        "launchlink key create --scope launch --project 67b6f2a9688f4a05db0a1d45",
        "launchlink catalog import catalog.csv",
        "launchlink serve",
      ],
      subcommands: [
        InitCommand.self, ProjectCommand.self, KeyCommand.self, SigningKeyCommand.self,
        UserCommand.self, MasterKeyCommand.self, CatalogCommand.self, WebVersionCommand.self,
        CookieCommand.self, IssueLaunch.self, VerifyCommand.self, ExplainCommand.self,
        StatsCommand.self, AuditCommand.self, DatabaseCommand.self, ServeCommand.self,
        ConfigCommand.self, DoctorCommand.self, VersionCommand.self,
      ])
  }

  @Option(help: "Print the completion script for the shell.")
  var generateCompletionScript: CompletionShell?
  @Option("DIRECTORY", help: "Write the manual into man1 and man5 below it.")
  var generateManual: String?

  func run(in context: Context) throws {
    if let shell = generateCompletionScript {
      try context.console.write(Array(shell.script.utf8))
    }
    if let directory = generateManual {
      let manual = Manual(of: CommandEntry(Self.self), date: try Manual.date(in: context))
      for page in manual.pages { try page.write(below: directory) }
    }
  }
}
