internal import SQLite
package import Store

/// Every column that holds sealed values, with the column that names its rows; a new column of secrets belongs
/// here.
private let sealedColumns = [
  (table: "project", key: "project_id", column: "web_api_key"),
  (table: "signing_key", key: "key_id", column: "secret"),
  (table: "digest_key", key: "subject", column: "secret"),
]

extension SQLiteRows {
  package func sealedValues() throws -> [SealedValue] {
    let tables = try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") {
      try $0.text(0)
    }
    // A database of an older schema lacks some.
    return try sealedColumns.filter { tables.contains($0.table) }.flatMap { table, key, column in
      try connection.rows("SELECT \(key), \(column) FROM \(table)") { row in
        SealedValue(
          place: KeyRing.Place(table: table, row: try row.text(0), column: column),
          bytes: try row.blob(1))
      }
    }
  }

  package func replace(_ value: SealedValue, with bytes: [UInt8]) throws {
    let (table, column) = (value.place.table, value.place.column)
    guard let sealed = sealedColumns.first(where: { ($0.table, $0.column) == (table, column) })
    else { preconditionFailure("no column \(column) of \(table) holds sealed values") }
    try connection.run(
      "UPDATE \(table) SET \(column) = ? WHERE \(sealed.key) = ?", bytes, value.place.row)
  }
}
