import Configuration
import Domain
internal import Encoding
import JSON
import Platform
import Store

/// `launchlink key …`.
struct KeyCommand: CommandGroup {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "key", abstract: "Manage API keys.", examples: ["launchlink key list"],
      subcommands: [
        KeyCreate.self, KeyList.self, KeyShow.self, KeyRotate.self, KeyRevoke.self,
      ])
  }

  /// A key with what other rows know of it.
  struct Details {
    let key: APIKey
    let successor: KeyID?
    let lastUsedAt: Timestamp?
    let now: Timestamp

    init(_ key: APIKey, reader: StoreReader, now: Timestamp) throws {
      self.key = key
      successor = try reader.knowledge.successor(of: key.id)
      lastUsedAt = try reader.happenings.lastUse(of: key.id)
      self.now = now
    }

    var json: JSON { key.json(at: now, successor: successor, lastUsedAt: lastUsedAt) }

    var properties: [(name: String, value: String)] {
      KeyCommand.properties(of: key, at: now, successor: successor) + [
        ("Last used", lastUsedAt?.description ?? "never")
      ]
    }
  }

  static func show(_ details: Details, in context: Context) throws {
    try context.show(details.json, table: Table.properties(details.properties))
  }

  /// Finds a key; throws a failure that names the nearest id.
  static func find(_ id: KeyID, reader: StoreReader, now: Timestamp) throws -> Details {
    if let key = try reader.knowledge.apiKey(id) {
      return try Details(key, reader: reader, now: now)
    }
    let known = try reader.knowledge.apiKeys(of: nil).map(\.id.description)
    throw CommandFailure(
      .refused, "There is no API key \(id)" + didYouMean(id.description, known).closed)
  }

  /// The facts that are shown before an admin confirms the end of a key.
  static func facts(
    of found: Details, reader: StoreReader
  ) throws -> [(name: String, value: String)] {
    let project = try found.key.projectID.flatMap { try reader.knowledge.project($0) }
    return [
      ("Name", found.key.name.isEmpty ? "-" : found.key.name),
      ("Scopes", found.key.scopeNames.joined(separator: ", ")),
      ("Project", project.map { "\($0.name) (\($0.id))" } ?? "-"),
      ("Status", found.key.status(at: found.now, successor: found.successor).rawValue),
      ("Last used", found.lastUsedAt?.description ?? "never"),
    ]
  }

  /// Shows a new key with its secret, this once, and the key that it replaces.
  static func show(_ issued: IssuedAPIKey, in context: Context) throws {
    let (key, now) = (issued.key, context.clock())
    var members: [JSON.Member] = [
      .init(name: "api_key", value: .string(issued.secret.secret)),
      .init(name: "key_id", value: .string(key.id.description)),
      .init(name: "project_id", value: JSON(key.projectID?.description)),
      .init(name: "scopes", value: .array(key.scopeNames.map(JSON.string))),
      .init(name: "name", value: .string(key.name)),
      .init(name: "expires_at", value: JSON(key.expiresAt)),
    ]
    var rows = [("API key", issued.secret.secret)] + properties(of: key, at: now, successor: nil)
    if let old = issued.replaced {
      members.append(
        .init(
          name: "replaced",
          value: [
            "key_id": .string(old.id.description),
            "status": .string(old.status(at: now, successor: key.id).rawValue),
            "expires_at": JSON(old.expiresAt),
          ]))
      rows.append(("Old key ends", old.expiresAt?.description ?? "never"))
    }
    do {
      try context.show(.object(members), table: Table.properties(rows))
    } catch let error as FileError {
      throw CommandFailure(
        .inputOutput,
        "\(error) The key \(key.id) was made and works, and nobody has seen it: run launchlink key "
          + "revoke \(key.id), and make another.")
    }
    context.note("The API key is shown this once: it is stored nowhere. Hand it to its owner now.")
    if let old = issued.replaced, let end = old.expiresAt {
      context.note(
        old.works(at: now)
          ? "The old key \(old.id) works until \(end): its owner has to use \(key.id) by then."
          : "The old key \(old.id) stopped working at \(end).")
    }
  }

  private static func properties(
    of key: APIKey, at now: Timestamp, successor: KeyID?
  ) -> [(name: String, value: String)] {
    [
      ("Key ID", key.id.description), ("Name", key.name),
      ("Scopes", key.scopeNames.joined(separator: ", ")),
      ("Project", key.projectID?.description ?? "-"),
      ("Status", key.status(at: now, successor: successor).rawValue),
      ("Created", key.createdAt.description), ("Expires", key.expiresAt?.description ?? "never"),
      ("Revoked", key.revokedAt?.description ?? "-"),
      ("Replaces", key.replaces?.description ?? "-"),
      ("Successor", successor?.description ?? "-"),
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
  @Option("PROJECT", help: "The project that it belongs to, by its id or its name.")
  var project: ProjectReference?
  @Option("NAME", help: "What people call it.") var name = ""
  @Option("TIME", help: "How long it works, such as 90d; without it, until it is revoked.")
  var expiresIn: Seconds?

  func run(in context: Context) throws {
    if let objection = APIKey.objection(to: Set(scope), isBound: project != nil) {
      throw UsageError(objection)
    }
    let name = try NameRule.option("--name", name, lengths: APIKey.nameLengths)
    if expiresIn?.count == 0 { throw UsageError("--expires-in: a key has to live for a while.") }
    let store = try context.store()
    let draft = APIKeyDraft(
      name: name, scopes: Set(scope),
      projectID: try project?.find(in: store.makeReader()).id, expiresIn: expiresIn?.count)
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

  @Option("PROJECT", help: "Only the keys of this project, by its id or its name.")
  var project: ProjectReference?

  func run(in context: Context) throws {
    let reader = try context.store().makeReader()
    let keys = try reader.knowledge.apiKeys(of: project?.find(in: reader).id)
    let now = context.clock()
    let lastUses = try reader.happenings.lastUses()
    // A successor belongs to the same project as the key that it replaces.
    let successors = Dictionary(
      keys.compactMap { key in key.replaces.map { ($0, key.id) } }, uniquingKeysWith: { $1 })
    try context.show(
      keys,
      json: { $0.json(at: now, successor: successors[$0.id], lastUsedAt: lastUses[$0.id]) },
      headings: [
        "KEY ID", "NAME", "SCOPES", "PROJECT", "STATUS", "CREATED", "EXPIRES", "LAST USED",
      ],
      none: "There are no API keys here. Make one: launchlink key create --help"
    ) { key in
      [
        key.id.description, key.name, key.scopeNames.joined(separator: ","),
        key.projectID?.description ?? "-",
        key.status(at: now, successor: successors[key.id]).rawValue,
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
      discussion: """
        Its status is active; expiring, where it was rotated or ends within 14 days; expired; revoked; or
        replaced, where it was rotated and the time of grace is over. A rotated key has its end and its
        successor.
        """,
      examples: ["launchlink key show key_0Az0Az0Az0Az"])
  }

  @Argument("KEYID", help: "The key.") var keyID: KeyID

  func run(in context: Context) throws {
    let reader = try context.store().makeReader()
    try KeyCommand.show(
      KeyCommand.find(keyID, reader: reader, now: context.clock()), in: context)
  }
}

/// `launchlink key rotate`.
struct KeyRotate: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "rotate", abstract: "Make a key that replaces another.",
      discussion: """
        The old key goes on working for the time of grace, so that nobody is cut off. Without grace (0s)
        it ends at once and for good, which is asked about on a terminal. A grace ends by the time of day, as
        --expires-in does: if the clock is set back, the old key works again until then.
        """,
      examples: ["launchlink key rotate key_0Az0Az0Az0Az --grace 24h"])
  }

  @Argument("KEYID", help: "The key to replace.") var keyID: KeyID
  @Option(
    "TIME",
    help: "How long the old key goes on working; without it, lifetimes.key_grace, 24h unless set.")
  var grace: Seconds?

  func run(in context: Context) throws {
    let grace = try grace ?? context.configuration().lifetimes.keyGrace
    let store = try context.store()
    if grace.count == 0 {
      let reader = try store.makeReader()
      let found = try KeyCommand.find(keyID, reader: reader, now: context.clock())
      if found.key.works(at: found.now) {
        try context.confirmOnTerminal(
          "Replace API key \(keyID) without grace? Whoever uses it is cut off at once.",
          about: KeyCommand.facts(of: found, reader: reader))
      }
    }
    let issued = try store.rotateAPIKey(keyID, graceSeconds: grace.count, by: context.actor)
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
    let store = try context.store()
    let reader = try store.makeReader()
    let found = try KeyCommand.find(keyID, reader: reader, now: context.clock())
    if !found.key.isRevoked {
      let name = found.key.name.isEmpty ? "" : " (\(found.key.name))"
      try context.confirm(
        "Revoke API key \(keyID)\(name)? Whoever uses it is cut off at once.",
        about: KeyCommand.facts(of: found, reader: reader))
    }
    let key = try store.revokeAPIKey(keyID, by: context.actor)
    try KeyCommand.show(
      KeyCommand.Details(key, reader: reader, now: context.clock()), in: context)
  }
}
