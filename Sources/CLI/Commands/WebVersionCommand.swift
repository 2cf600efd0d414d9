import Domain
import JSON
import Store

extension WebVersion: ExpressibleByArgument {
  init?(argument: String) { self.init(argument) }
  static var expectation: String {
    "a version: one to four numbers of up to 9 digits between points, such as 1.4.0"
  }
}

/// `launchlink web-version …`.
struct WebVersionCommand: CommandGroup {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "web-version", abstract: "Say which version of the cashback web is the latest.",
      discussion: "An app whose web view has an older one, or none, clears its cache.",
      examples: ["launchlink web-version set 1.4.0"],
      subcommands: [WebVersionSet.self, WebVersionShow.self])
  }

  static func show(_ version: WebVersion?, in context: Context) throws {
    try context.show(
      ["latest": JSON(version?.description)],
      table: (version.map(\.description) ?? "No version was set: no app clears its cache.") + "\n")
  }
}

/// `launchlink web-version set`.
struct WebVersionSet: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "set", abstract: "Set the latest version.",
      examples: ["launchlink web-version set 1.4.0"])
  }

  @Argument("VERSION", help: "Such as 1.4.0.") var version: WebVersion

  func run(in context: Context) throws {
    try context.store().setWebVersion(version, by: context.actor)
    try WebVersionCommand.show(version, in: context)
  }
}

/// `launchlink web-version show`.
struct WebVersionShow: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "show", abstract: "Show the latest version.",
      examples: ["launchlink web-version show"])
  }

  func run(in context: Context) throws {
    try WebVersionCommand.show(context.store().makeReader().knowledge.webVersion(), in: context)
  }
}
