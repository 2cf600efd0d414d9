import JSON
import LaunchDomain
import LaunchStore

/// `launchlink key …`.
struct KeyCommand: CommandGroup {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "key", abstract: "Manage API keys.", examples: ["launchlink key list"],
      subcommands: [
        KeyCreate.self, KeyList.self, KeyShow.self, KeyRotate.self, KeyRevoke.self,
      ])
  }

  static func show(_ key: APIKey, lastUsedAt: Timestamp?, in context: Context) throws {
    try context.show(
      key.json(lastUsedAt: lastUsedAt),
      table: Table.properties(
        properties(of: key, now: context.clock()) + [
          ("Last used", lastUsedAt?.description ?? "never")
        ]))
  }

  /// Shows a new key with its secret, this once.
  static func show(_ issued: IssuedAPIKey, in context: Context) throws {
    let key = issued.key
    do {
      try context.show(
        [
          "api_key": .string(issued.secret.secret),
          "key_id": .string(key.id.description),
          "project_id": JSON(key.projectID?.description),
          "scopes": .array(key.scopeNames.map(JSON.string)),
          "name": .string(key.name),
          "expires_at": JSON(key.expiresAt),
        ],
        table: Table.properties(
          [("API key", issued.secret.secret)] + properties(of: key, now: context.clock())))
    } catch let error as FileError {
      throw CommandFailure(
        .inputOutput,
        "\(error) The key \(key.id) was made and works, and nobody has seen it: run launchlink key "
          + "revoke \(key.id), and make another.")
    }
    context.note("The API key is shown this once: it is stored nowhere. Hand it to its owner now.")
  }

  static func status(of key: APIKey, now: Timestamp) -> String {
    if key.revokedAt != nil { return "revoked" }
    if let end = key.expiresAt, end <= now { return "expired" }
    return "active"
  }

  private static func properties(of key: APIKey, now: Timestamp) -> [(String, String)] {
    [
      ("Key ID", key.id.description), ("Name", key.name),
      ("Scopes", key.scopeNames.joined(separator: ", ")),
      ("Project", key.projectID?.description ?? "-"), ("Status", status(of: key, now: now)),
      ("Created", key.createdAt.description), ("Expires", key.expiresAt?.description ?? "never"),
      ("Revoked", key.revokedAt?.description ?? "-"),
      ("Replaces", key.replaces?.description ?? "-"),
    ]
  }
}

/// `launchlink key create`.
struct KeyCreate: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "create", abstract: "Make an API key; it is shown once.",
      discussion: """
        A launch key belongs to one project. catalog and verify keys may belong to one and then see only
        that one; support keys see all.
        """,
      examples: [
        "launchlink key create --scope launch --project 67b6f2a9688f4a05db0a1d45 --expires-in 90d"
      ])
  }

  @Option(help: "What it may be used for; can be repeated.") var scope: [Scope]
  @Option("ID", help: "The project that it belongs to.") var project: ProjectID?
  @Option("NAME", help: "What people call it.") var name = ""
  @Option("TIME", help: "How long it works, such as 90d; without it, until it is revoked.")
  var expiresIn: Seconds?

  func run(in context: Context) throws {
    if let objection = APIKey.objection(to: Set(scope), projectID: project) {
      throw UsageError(objection)
    }
    guard APIKey.nameLengths.contains(name.unicodeScalars.count), name == name.withoutControls
    else {
      throw UsageError(
        "--name: a name has \(APIKey.nameLengths.upperBound) characters at most and no control "
          + "characters.")
    }
    if expiresIn?.count == 0 { throw UsageError("--expires-in: a key has to live for a while.") }
    let draft = APIKeyDraft(
      name: name.normalizedNFC, scopes: Set(scope), projectID: project,
      expiresIn: expiresIn?.count)
    let store = try context.store()
    if let project { _ = try ProjectCommand.find(project, reader: store.makeReader()) }
    try KeyCommand.show(store.createAPIKey(draft, by: context.actor), in: context)
  }
}

/// `launchlink key list`.
struct KeyList: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "list", abstract: "List the API keys, newest first; never their secrets.",
      examples: ["launchlink key list --project 67b6f2a9688f4a05db0a1d45"])
  }

  @Option("ID", help: "Only the keys of this project.") var project: ProjectID?

  func run(in context: Context) throws {
    let reader = try context.store().makeReader()
    if let project { _ = try ProjectCommand.find(project, reader: reader) }
    let now = context.clock()
    let lastUses = try reader.lastUses()
    try context.show(
      reader.apiKeys(of: project), json: { $0.json(lastUsedAt: lastUses[$0.id]) },
      headings: [
        "KEY ID", "NAME", "SCOPES", "PROJECT", "STATUS", "CREATED", "EXPIRES", "LAST USED",
      ],
      none: "There are no API keys here. Make one: launchlink key create --help"
    ) { key in
      [
        key.id.description, key.name, key.scopeNames.joined(separator: ","),
        key.projectID?.description ?? "-", KeyCommand.status(of: key, now: now),
        key.createdAt.description, key.expiresAt?.description ?? "never",
        lastUses[key.id]?.description ?? "never",
      ]
    }
  }
}

/// `launchlink key show`.
struct KeyShow: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "show", abstract: "Show an API key; never its secret.",
      examples: ["launchlink key show key_0Az0Az0Az0Az"])
  }

  @Argument("KEYID", help: "The key.") var keyID: KeyID

  func run(in context: Context) throws {
    let reader = try context.store().makeReader()
    guard let key = try reader.apiKey(keyID) else {
      let known = try reader.apiKeys(of: nil).map(\.id.description)
      throw CommandFailure(
        .refused, "There is no API key \(keyID)" + didYouMean(keyID.description, known).closed)
    }
    try KeyCommand.show(key, lastUsedAt: reader.lastUse(of: keyID), in: context)
  }
}

/// `launchlink key rotate`.
struct KeyRotate: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "rotate", abstract: "Make a key that takes the place of another.",
      discussion: "The old key goes on working for the time of grace, so that nobody is cut off.",
      examples: ["launchlink key rotate key_0Az0Az0Az0Az --grace 24h"])
  }

  @Argument("KEYID", help: "The key to replace.") var keyID: KeyID
  @Option(
    "TIME",
    help: "How long the old key goes on working; without it, lifetimes.key_grace, 24h unless set.")
  var grace: Seconds?

  func run(in context: Context) throws {
    let grace = try grace ?? context.configuration().lifetimes.keyGrace
    let issued = try context.store().rotateAPIKey(
      keyID, graceSeconds: grace.count, by: context.actor)
    try KeyCommand.show(issued, in: context)
  }
}

/// `launchlink key revoke`.
struct KeyRevoke: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "revoke", abstract: "Revoke an API key: the very next request is refused.",
      examples: ["launchlink key revoke key_0Az0Az0Az0Az --yes"])
  }

  @Argument("KEYID", help: "The key.") var keyID: KeyID

  func run(in context: Context) throws {
    try context.confirm("Revoke API key \(keyID)? Whoever uses it is cut off at once.")
    let store = try context.store()
    let key = try store.revokeAPIKey(keyID, by: context.actor)
    try KeyCommand.show(key, lastUsedAt: store.makeReader().lastUse(of: keyID), in: context)
  }
}
