internal import JSON
internal import Domain
internal import SQLite

extension SQLiteStore {
  func rotateMasterKey(by actor: Actor) throws -> MasterKeyRotation {
    try write(by: actor) { transaction in
      // Read anew under the database's lock: another command may have added a key.
      let old = try keyRing.current.rereadToChange()
      let sealed = try SealedValue.all(transaction.connection)
      // On disk before anything is sealed with it. A kill from here on leaves a key that nothing
      // names, which does no harm.
      let new = try old.addingKey()
      for value in sealed {
        let secret = try old.open(value.bytes, at: value.place)
        try value.replace(with: new.seal(secret, at: value.place), transaction.connection)
      }
      try transaction.audit(
        "master-key.rotate", new.sealingID, old: .string(old.sealingID),
        new: .string(new.sealingID))
      keyRing.current = new
      return MasterKeyRotation(keyID: new.sealingID, resealed: sealed.count)
    }
  }

  func unneededMasterKeys() throws -> UnneededMasterKeys {
    try StoreError.translating {
      try FileStore.looking(at: path) { connection in
        let ring = try keyRing.current.asOfNow()
        let ids = ring.unneeded(besides: try SealedValue.sealers(connection))
        let copies = ids.isEmpty ? [] : try DatabaseCopy.known(to: connection, beside: path)
        return UnneededMasterKeys(
          ids: ids, copies: copies.filter { !Set($0.masterKeys).isDisjoint(with: ids) })
      }
    }
  }

  func dropMasterKeys(_ ids: [String], by actor: Actor) throws -> [String] {
    try write(by: actor) { transaction in
      let old = try keyRing.current.rereadToChange()
      let dropped = old.unneeded(besides: try SealedValue.sealers(transaction.connection))
        .filter(ids.contains)
      guard !dropped.isEmpty else { return [] }
      let ring = try old.removing(dropped)
      try transaction.audit(
        "master-key.drop", "master-key", old: .array(dropped.map(JSON.string)))
      keyRing.current = ring
      return dropped
    }
  }
}

/// A secret of the database as it is stored, wherever it stands.
struct SealedValue {
  let place: KeyRing.Place
  let bytes: [UInt8]
  private let keyColumn: String

  /// Every sealed value; a new column of secrets belongs here.
  static func all(_ connection: Connection) throws -> [SealedValue] {
    let columns = [
      (table: "project", key: "project_id", column: "web_api_key"),
      (table: "signing_key", key: "key_id", column: "secret"),
      (table: "digest_key", key: "subject", column: "secret"),
    ]
    let tables = try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") {
      try $0.text(0)
    }
    // A database of an older schema lacks some.
    return try columns.filter { tables.contains($0.table) }.flatMap { table, key, column in
      try connection.rows("SELECT \(key), \(column) FROM \(table)") { row in
        SealedValue(
          place: KeyRing.Place(table: table, row: try row.text(0), column: column),
          bytes: try row.blob(1), keyColumn: key)
      }
    }
  }

  /// What names the keys that sealed values were sealed with, whatever stands there.
  static func sealers(_ connection: Connection) throws -> Set<String> {
    Set(try all(connection).map { KeyRing.id(of: $0.bytes) })
  }

  /// The ids of the master keys that the database needs, sorted.
  static func masterKeys(_ connection: Connection) throws -> [String] {
    try sealers(connection).filter(\.isVisibleASCII).sorted()
  }

  func replace(with bytes: [UInt8], _ connection: Connection) throws {
    try connection.run(
      "UPDATE \(place.table) SET \(place.column) = ? WHERE \(keyColumn) = ?", bytes, place.row)
  }
}
