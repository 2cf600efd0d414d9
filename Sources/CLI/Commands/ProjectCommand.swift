import Configuration
import Domain
import JSON
import Store

/// `launchlink project …`.
struct ProjectCommand: CommandGroup {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "project", abstract: "Manage partners' projects.",
      examples: ["launchlink project list"],
      subcommands: [
        ProjectCreate.self, ProjectList.self, ProjectShow.self, ProjectUpdate.self,
        ProjectDisable.self, ProjectEnable.self, ProjectDelete.self,
      ])
  }

  /// Warns of what key delivery `direct` means.
  static func warnOfDirectDelivery(in context: Context) {
    context.warn(
      """
      with key delivery direct the Web API Key itself goes to every phone. The upstream checks no \
      signature, so expiry, log-out and single use bind only behind a gateway that is the sole way in. \
      Use direct for migration, and change the Web API Key when you leave it.
      """)
  }

  static func show(_ project: Project, in context: Context) throws {
    try context.show(
      project.json,
      table: Table.properties([
        ("ID", project.id.description), ("Name", project.name),
        ("Status", project.status), ("Key delivery", project.keyDelivery.rawValue),
        ("Replay policy", project.replayPolicy.rawValue), ("TTL", "\(project.ttl) s"),
        ("Rate limit", "\(project.rateLimit) a second"), ("Upstream", project.upstream),
        ("Created", project.createdAt.description), ("Updated", project.updatedAt.description),
      ]))
  }
}

extension ProjectCommand {
  /// The facts that are shown before an admin confirms that a project is disabled or deleted.
  fileprivate static func facts(
    of project: Project, reader: StoreReader, now: Timestamp
  ) throws -> [(name: String, value: String)] {
    let keys = try reader.knowledge.apiKeys(of: project.id)
    let uses = try reader.happenings.lastUses()
    let lastUse = keys.compactMap { uses[$0.id] }.max()
    return [
      ("Project", "\(project.name) (\(project.id))"), ("Status", project.status),
      ("API keys", "\(keys.filter { $0.works(at: now) }.count) that work"),
      ("Last used", lastUse?.description ?? "never"),
    ]
  }
}

extension Project {
  fileprivate var status: String { disabledAt.map { "disabled since \($0)" } ?? "enabled" }
}

/// `launchlink project create`.
struct ProjectCreate: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "create", abstract: "Add a project.",
      discussion: """
        Key delivery is always chosen. gateway: the phone gets a stand-in, and only a gateway that
        verified the launch gets the Web API Key. direct: the phone gets the key itself, for migration.
        """,
      examples: [
        "launchlink project create --id 67b6f2a9688f4a05db0a1d45 --name \"Acme\" \\",
        "  --web-api-key-file key.txt --key-delivery gateway",
      ])
  }

  @Option("ID", help: "The project's id at the upstream: 24 hexadecimal digits.") var id: ProjectID
  @Option("NAME", help: "What people call it.") var name: String
  @Option("FILE", help: "File with the Web API Key; - for standard input.")
  var webAPIKeyFile: String
  @Option(help: "Who gets the Web API Key: a verifying gateway, or the phone.")
  var keyDelivery: KeyDelivery
  @Option(help: "Whether a launch may be used more than once.")
  var replayPolicy = ReplayPolicy.allow
  @Option(
    "SECONDS", in: Project.lifetimes,
    help: "The longest lifetime of a launch; without it, lifetimes.launch, 300 unless set.")
  var ttl: Int?
  @Option("COUNT", in: Project.rateLimits, help: "Launches per second at most.") var rateLimit = 500
  @Option("NAME", help: "The configured upstream that launches go to.", completion: .upstreams)
  var upstream = "production"

  func run(in context: Context) throws {
    let name = try ProjectFields.name(name)
    let upstream = try ProjectFields.upstream(upstream, in: context)
    let webAPIKey = try WebAPIKey.read(webAPIKeyFile, console: context.console)
    let draft = try ProjectDraft(
      id: id, name: name, keyDelivery: keyDelivery, replayPolicy: replayPolicy,
      ttl: ttl ?? context.configuration().lifetimes.launch.count,
      rateLimit: rateLimit, upstream: upstream)
    let project = try context.store().createProject(draft, webAPIKey: webAPIKey, by: context.actor)
    if keyDelivery == .direct { ProjectCommand.warnOfDirectDelivery(in: context) }
    try ProjectCommand.show(project, in: context)
  }
}

/// `launchlink project list`.
struct ProjectList: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "list", abstract: "List the projects, by name.",
      examples: ["launchlink project list --output json"])
  }

  func run(in context: Context) throws {
    try context.show(
      context.store().makeReader().knowledge.projects(), json: \.json,
      headings: ["ID", "NAME", "STATUS", "DELIVERY", "REPLAY", "TTL", "RATE", "UPSTREAM"],
      none: "There are no projects yet. Add one: launchlink project create --help"
    ) { project in
      [
        project.id.description, project.name, project.disabledAt == nil ? "enabled" : "disabled",
        project.keyDelivery.rawValue, project.replayPolicy.rawValue, "\(project.ttl)",
        "\(project.rateLimit)", project.upstream,
      ]
    }
  }
}

/// `launchlink project show`.
struct ProjectShow: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "show", abstract: "Show a project.",
      examples: ["launchlink project show 67b6f2a9688f4a05db0a1d45"])
  }

  @Argument("PROJECT", help: "The project, by its id or its name.") var project: ProjectReference

  func run(in context: Context) throws {
    let project = try project.find(in: context.store().makeReader())
    try ProjectCommand.show(project, in: context)
  }
}

/// `launchlink project update`.
struct ProjectUpdate: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "update", abstract: "Change a project; what is not named stays as it is.",
      examples: ["launchlink project update 67b6f2a9688f4a05db0a1d45 --ttl 120"])
  }

  @Argument("PROJECT", help: "The project, by its id or its name.") var project: ProjectReference
  @Option("NAME", help: "What people call it.") var name: String?
  @Option("FILE", help: "File with a new Web API Key; - for standard input.")
  var webAPIKeyFile: String?
  @Option(help: "Who gets the Web API Key: a verifying gateway, or the phone.")
  var keyDelivery: KeyDelivery?
  @Option(help: "Whether a launch may be used more than once.") var replayPolicy: ReplayPolicy?
  @Option("SECONDS", in: Project.lifetimes, help: "The longest lifetime of a launch.")
  var ttl: Int?
  @Option("COUNT", in: Project.rateLimits, help: "Launches per second at most.") var rateLimit: Int?
  @Option("NAME", help: "The configured upstream that launches go to.", completion: .upstreams)
  var upstream: String?

  func run(in context: Context) throws {
    guard
      name != nil || webAPIKeyFile != nil || keyDelivery != nil || replayPolicy != nil
        || ttl != nil || rateLimit != nil || upstream != nil
    else { throw UsageError("Name what is to be changed.") }
    var changes = ProjectChanges()
    changes.name = try name.map(ProjectFields.name)
    changes.upstream = try upstream.map { try ProjectFields.upstream($0, in: context) }
    changes.webAPIKey = try webAPIKeyFile.map { try WebAPIKey.read($0, console: context.console) }
    changes.keyDelivery = keyDelivery
    changes.replayPolicy = replayPolicy
    changes.ttl = ttl
    changes.rateLimit = rateLimit
    let store = try context.store()
    let before = try project.find(in: store.makeReader())
    let project = try store.updateProject(before.id, changes, by: context.actor)
    if keyDelivery == .direct { ProjectCommand.warnOfDirectDelivery(in: context) }
    if before.keyDelivery == .direct, project.keyDelivery != .direct, webAPIKeyFile == nil {
      context.warn(
        "the Web API Key has been on phones until now. Have the upstream change it, and give the new "
          + "one with --web-api-key-file.")
    }
    try ProjectCommand.show(project, in: context)
  }
}

/// `launchlink project disable`.
struct ProjectDisable: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "disable", abstract: "Stop a project: nothing is issued or accepted for it.",
      discussion: "On a terminal it asks first, and shows when the project was last used.",
      examples: ["launchlink project disable 67b6f2a9688f4a05db0a1d45"])
  }

  @Argument("PROJECT", help: "The project, by its id or its name.") var project: ProjectReference

  func run(in context: Context) throws {
    let store = try context.store()
    let reader = try store.makeReader()
    let project = try project.find(in: reader)
    if project.disabledAt == nil {
      try context.confirmOnTerminal(
        "Disable project \(project.id) (\(project.name))? Nothing is issued or accepted for it then.",
        about: ProjectCommand.facts(of: project, reader: reader, now: context.clock()))
    }
    let disabled = try store.setProject(project.id, enabled: false, by: context.actor)
    try ProjectCommand.show(disabled, in: context)
  }
}

/// `launchlink project enable`.
struct ProjectEnable: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "enable", abstract: "Let a disabled project work again.",
      examples: ["launchlink project enable 67b6f2a9688f4a05db0a1d45"])
  }

  @Argument("PROJECT", help: "The project, by its id or its name.") var project: ProjectReference

  func run(in context: Context) throws {
    let store = try context.store()
    let project = try project.find(in: store.makeReader())
    let enabled = try store.setProject(project.id, enabled: true, by: context.actor)
    try ProjectCommand.show(enabled, in: context)
  }
}

/// `launchlink project delete`.
struct ProjectDelete: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "delete", abstract: "Remove a project for good.",
      discussion: "It is refused while the project has an API key that still works.",
      examples: ["launchlink project delete 67b6f2a9688f4a05db0a1d45 --yes"])
  }

  @Argument("PROJECT", help: "The project, by its id or its name.") var project: ProjectReference

  func run(in context: Context) throws {
    let store = try context.store()
    let reader = try store.makeReader()
    let project = try project.find(in: reader)
    try context.confirm(
      "Delete project \(project.id) (\(project.name)) for good?",
      about: ProjectCommand.facts(of: project, reader: reader, now: context.clock()))
    try store.deleteProject(project.id, by: context.actor)
    try context.show(
      ["project_id": .string(project.id.description), "deleted": true],
      table: "Deleted project \(project.id).\n")
  }
}
