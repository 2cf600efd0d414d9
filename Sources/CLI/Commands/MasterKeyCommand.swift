import Doctor
import Domain
import JSON
import Store
import StoreTransfer

/// `launchlink master-key …`.
struct MasterKeyCommand: CommandGroup {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "master-key", abstract: "Change the key that seals the database's secrets.",
      discussion: """
        Rotate, make a backup of the key ring, and drop the old keys once no backup of the database is
        left that needs them. A running server takes the new key over by itself; one that got the ring
        as a systemd credential has to be restarted.
        """,
      examples: ["launchlink master-key rotate"],
      subcommands: [MasterKeyRotate.self, MasterKeyDrop.self])
  }
}

/// `launchlink master-key rotate`.
struct MasterKeyRotate: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "rotate", abstract: "Add a key to the ring and seal every secret anew with it.",
      examples: ["launchlink master-key rotate"])
  }

  func run(in context: Context) throws {
    let rotation = try context.store().rotateMasterKey(by: context.actor)
    try context.show(
      ["key_id": .string(rotation.keyID), "resealed": .integer(Int64(rotation.resealed))],
      table: "\(rotation.resealed) secrets are sealed with \(rotation.keyID) now.\n")
    context.note("Back up the key ring, apart from the database: older copies do not open it now.")
  }
}

/// `launchlink master-key drop`.
struct MasterKeyDrop: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "drop", abstract: "Remove the keys that no secret is sealed with.",
      discussion: """
        A backup of the database from before the last rotation needs the keys that go. Named and asked about
        are those that the audit log tells of, which db backup made or db restore read, and those that
        migrations and restores kept in the data directory. Copies of them elsewhere need the keys too.
        """,
      examples: ["launchlink master-key drop --yes"])
  }

  func run(in context: Context) throws {
    let store = try context.store()
    let unneeded = try store.unneededMasterKeys()
    let copies = try StoreTransfer.copies(
      needing: unneeded, directory: context.dataDirectory().path)
    if !copies.isEmpty { context.warn(Self.warning(of: copies)) }
    if !unneeded.isEmpty {
      try context.confirm(
        "Drop \(unneeded.joined(separator: ", "))? Copies of the database from before the last rotation, "
          + "wherever they are, can never be opened then.")
    }
    let dropped = try store.dropMasterKeys(unneeded, by: context.actor)
    try context.show(
      ["dropped": .array(dropped.map(JSON.string))],
      table: dropped.isEmpty
        ? "Every master key is still needed.\n"
        : "Dropped \(dropped.joined(separator: ", ")).\n")
  }

  private static func warning(of copies: [DatabaseCopy]) -> String {
    // Copies that are there come first, since an admin can look at them.
    let sorted = copies.filter { $0.place == .there } + copies.filter { $0.place != .there }
    let lines = sorted.prefix(mostCopies).map { copy in
      "  \(copy.name)\(copy.whereabouts), needs \(copy.masterKeys.joined(separator: ", "))"
    }
    let rest = copies.count - lines.count
    return
      (["these backups will not open without the keys to be dropped:"] + lines
      + (rest > 0 ? ["  and \(rest) more: launchlink audit list --action db.backup"] : []))
      .joined(separator: "\n")
  }

  private static let mostCopies = 20
}
