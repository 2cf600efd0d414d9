internal import Glibc
internal import SQLite
public import Store

extension IdentifierKind {
  /// The table, the column of ids, and what people know a row by.
  fileprivate var source: (table: String, id: String, label: String) {
    switch self {
    case .project: ("project", "project_id", "name")
    case .apiKey:
      (
        "api_key", "key_id",
        "trim(name || CASE WHEN revoked_at IS NULL THEN '' ELSE ' (revoked)' END)"
      )
    case .signingKey: ("signing_key", "key_id", "state")
    case .business: ("business", "business_id", "name")
    }
  }
}

extension SQLiteStore {
  /// The longest wait for another process's lock; the user who types waits as well.
  private static let completionPatience = Duration.milliseconds(200)

  /// The ids with a prefix, as a shell offers them.
  ///
  /// Nothing is made or changed. A database that no process has open is read without its log, so the last changes
  /// of a killed process are not seen.
  ///
  /// - Parameters:
  ///   - kind: the kind of ids.
  ///   - prefix: the beginning of the ids.
  ///   - limit: the largest number of ids.
  ///   - directory: the data directory.
  /// - Returns: the ids in order, each with its label.
  /// - Throws: `StoreError` when the database is missing or cannot be read now.
  public static func identifiers(
    of kind: IdentifierKind, startingWith prefix: String, limit: Int, directory: String
  ) throws -> [(id: String, label: String)] {
    let path = DatabaseFile.path(in: directory)
    try DatabaseFile.requireReadable(path, orElse: .unusable)
    let isOpen = access(path + "-wal", F_OK) == 0 && access(path + "-shm", F_OK) == 0
    return try StoreError.translating {
      let connection = try Connection(
        path: path, mode: isOpen ? .readOnly : .readFrozen, busyTimeout: completionPatience)
      let (table, id, label) = kind.source
      return try connection.rows(
        """
        SELECT \(id), \(label) FROM \(table)
        WHERE \(id) >= ? AND \(id) < ? ORDER BY \(id) LIMIT ?
        """, prefix, prefix + "\u{10FFFF}", limit
      ) { try ($0.text(0), $0.text(1)) }
    }
  }
}
