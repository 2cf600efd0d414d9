internal import Glibc
internal import SQLite

/// What the store knows by an id that people type.
public enum IdentifierKind: Sendable {
  /// Projects.
  case project
  /// API keys.
  case apiKey
  /// Signing keys.
  case signingKey
  /// Businesses of the catalogue.
  case business

  /// Where ids are, and what tells people which one is which.
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

extension FileStore {
  /// For how long a writer is waited for: whoever types waits as well.
  private static let completionPatience = Duration.milliseconds(200)

  /// The ids that begin with what is typed, as a shell offers them.
  ///
  /// Nothing is made or changed. A database that nobody has open is read without its log, so that what a
  /// killed process left there is not seen.
  ///
  /// - Parameters:
  ///   - kind: what has the ids.
  ///   - prefix: what they begin with.
  ///   - limit: how many are given at the most.
  ///   - directory: the data directory.
  /// - Returns: ids in order, each with a label for people.
  /// - Throws: `StoreError` where the database is missing or cannot be read now.
  public static func identifiers(
    of kind: IdentifierKind, startingWith prefix: String, limit: Int, directory: String
  ) throws -> [(id: String, label: String)] {
    let path = databasePath(in: directory)
    try requireReadable(path, orElse: .unusable)
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
