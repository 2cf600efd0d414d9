import Configuration
import Domain
import Foundation
import JSON
import Store

/// `launchlink signing-key …`.
struct SigningKeyCommand: CommandGroup {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "signing-key", abstract: "Manage the keys that launches are signed with.",
      discussion: """
        To change keys without a gap: create a pending one, export it to verifiers outside, then activate
        it. The one before is retired and verifies until what it signed has expired: for the longest
        ttl that a project had meanwhile.
        """,
      examples: ["launchlink signing-key list"],
      subcommands: [
        SigningKeyCreate.self, SigningKeyList.self, SigningKeyActivate.self, SigningKeyRetire.self,
        SigningKeyRevoke.self, SigningKeyExport.self,
      ])
  }

  static func show(_ key: SigningKey, in context: Context) throws {
    try context.show(key.json, table: Table.properties(properties(of: key)))
  }

  /// Finds a key; throws a failure that names the nearest id.
  static func find(_ id: SigningKeyID, reader: StoreReader) throws -> SigningKey {
    if let key = try reader.knowledge.signingKey(id) { return key }
    let known = try reader.knowledge.signingKeys().map(\.id.description)
    throw CommandFailure(
      .refused, "There is no signing key \(id)" + didYouMean(id.description, known).closed)
  }

  static func properties(of key: SigningKey) -> [(name: String, value: String)] {
    [
      ("Key ID", key.id.description), ("State", key.state.rawValue),
      ("Created", key.createdAt.description), ("Activated", key.activatedAt?.description ?? "-"),
      ("Retired", key.retiredAt?.description ?? "-"),
      ("Revoked", key.revokedAt?.description ?? "-"),
      ("Verifies until", key.verifiesUntil?.description ?? "-"),
    ]
  }
}

/// `launchlink signing-key create`.
struct SigningKeyCreate: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "create", abstract: "Make a pending signing key.",
      examples: ["launchlink signing-key create"])
  }

  func run(in context: Context) throws {
    try SigningKeyCommand.show(context.store().createSigningKey(by: context.actor), in: context)
  }
}

/// `launchlink signing-key list`.
struct SigningKeyList: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "list", abstract: "List the signing keys, newest first; never their secrets.",
      examples: ["launchlink signing-key list"])
  }

  func run(in context: Context) throws {
    try context.show(
      context.store().makeReader().knowledge.signingKeys(), json: \.json,
      headings: ["KEY ID", "STATE", "CREATED", "ACTIVATED", "VERIFIES UNTIL"],
      none: "There are no signing keys. Make one: launchlink signing-key create"
    ) { key in
      [
        key.id.description, key.state.rawValue, key.createdAt.description,
        key.activatedAt?.description ?? "-", key.verifiesUntil?.description ?? "-",
      ]
    }
  }
}

/// `launchlink signing-key activate`.
struct SigningKeyActivate: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "activate",
      abstract: "Make a pending key sign, and retire the one that signs now.",
      examples: ["launchlink signing-key activate sk_0Az0Az0Az0Az"])
  }

  @Argument("KEYID", help: "The pending key.") var keyID: SigningKeyID

  func run(in context: Context) throws {
    try SigningKeyCommand.show(
      context.store().activateSigningKey(keyID, by: context.actor), in: context)
  }
}

/// `launchlink signing-key retire`.
struct SigningKeyRetire: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "retire", abstract: "Retire a key that does not sign.",
      examples: ["launchlink signing-key retire sk_0Az0Az0Az0Az --yes"])
  }

  @Argument("KEYID", help: "The key.") var keyID: SigningKeyID

  func run(in context: Context) throws {
    let store = try context.store()
    let key = try SigningKeyCommand.find(keyID, reader: store.makeReader())
    try context.confirm(
      "Retire signing key \(keyID)? It can never sign again.",
      about: SigningKeyCommand.properties(of: key))
    try SigningKeyCommand.show(store.retireSigningKey(keyID, by: context.actor), in: context)
  }
}

/// `launchlink signing-key revoke`.
struct SigningKeyRevoke: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "revoke", abstract: "Revoke a key: what it signed is refused at once.",
      discussion: "Where it was the active one, a new one is made and activated with it.",
      examples: ["launchlink signing-key revoke sk_0Az0Az0Az0Az --yes"])
  }

  @Argument("KEYID", help: "The key.") var keyID: SigningKeyID

  func run(in context: Context) throws {
    let store = try context.store()
    let key = try SigningKeyCommand.find(keyID, reader: store.makeReader())
    try context.confirm(
      "Revoke signing key \(keyID)? Every launch that it signed is refused at once.",
      about: SigningKeyCommand.properties(of: key))
    let (revoked, activated) = try store.revokeSigningKey(keyID, by: context.actor)
    var json = revoked.json.objectValue ?? []
    json.append(.init(name: "activated", value: activated?.json ?? .null))
    try context.show(
      .object(json), table: Table.properties(SigningKeyCommand.properties(of: revoked)))
    if let activated {
      context.note("\(activated.id) signs from now on. Verifiers outside need a new export.")
    }
  }
}

/// `launchlink signing-key export`.
struct SigningKeyExport: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "export", abstract: "Show a project's own keys, for a verifier outside.",
      discussion: """
        Every key that is pending or verifies, derived for the project: it signs for no other. The export
        is recorded in the audit log.
        """,
      examples: [
        "launchlink signing-key export --project 67b6f2a9688f4a05db0a1d45 --output json >keys.json"
      ])
  }

  @Option("PROJECT", help: "The project whose verifier gets the keys, by its id or its name.")
  var project: ProjectReference

  func run(in context: Context) throws {
    let store = try context.store()
    let project = try project.find(in: store.makeReader()).id
    let keys = try store.exportSigningKeys(for: project, by: context.actor)
    context.warn(
      """
      whoever holds these keys can forge launches of project \(project). A verifier outside sees neither \
      log-out nor single use.
      """)
    let rows = keys.map { key in
      (
        id: key.id.description, state: key.state.rawValue,
        secret: Data(key.secret).base64EncodedString()
      )
    }
    try context.show(
      [
        "project_id": .string(project.description),
        "keys": .array(
          rows.map { row in
            [
              "key_id": .string(row.id), "state": .string(row.state),
              "secret": .string(row.secret),
            ]
          }),
      ],
      table: Table(
        headings: ["KEY ID", "STATE", "SECRET"], rows: rows.map { [$0.id, $0.state, $0.secret] }
      ).text)
  }
}
