package import Domain
internal import Foundation
internal import SQLite

/// What tests read and change past the store; no test of rules has SQL of its own.
extension TestStore {
  // MARK: Reading

  /// How many rows a table has.
  package func count(of table: String) throws -> Int {
    try withDatabase { try $0.first("SELECT count(*) FROM \(table)") { try $0.int(0) } ?? 0 }
  }

  /// The values of a column of bytes.
  package func blobs(_ column: String, of table: String) throws -> [[UInt8]] {
    try withDatabase { try $0.rows("SELECT \(column) FROM \(table)") { try $0.blob(0) } }
  }

  /// The key ids that sealed values name.
  package func sealers() throws -> Set<String> {
    let sealed = try [
      ("web_api_key", "project"), ("secret", "signing_key"), ("secret", "digest_key"),
    ]
    .flatMap { try blobs($0, of: $1) }
    return Set(sealed.map { String(decoding: $0.prefix(15), as: UTF8.self) })
  }

  /// The texts of the audit log's values, as they are stored.
  package func auditTexts() throws -> [String] {
    try withDatabase { database in
      try database.rows(
        "SELECT coalesce(old, '') || coalesce(new, '') FROM audit ORDER BY audit_id"
      ) { try $0.text(0) }
    }
  }

  /// The number that changes with what searches read.
  package func searchRevision() throws -> Int {
    let revision = try withDatabase {
      try $0.first("SELECT revision FROM search_revision") { try $0.int(0) }
    }
    guard let revision else { throw Missing() }
    return revision
  }

  /// The number of commits in the write-ahead log: each ends with a frame that names the size of the database
  /// (https://sqlite.org/fileformat2.html section 4.1).
  package func commits() throws -> Int {
    let log = [UInt8](try Data(contentsOf: URL(fileURLWithPath: database + "-wal")))
    let page = log[8..<12].reduce(0) { $0 << 8 | Int($1) }
    var commits = 0
    // Frames with other salts are left over from before the log began anew.
    for frame in stride(from: 32, to: log.count, by: 24 + page)
    where log[(frame + 8)..<(frame + 16)].elementsEqual(log[16..<24]) {
      if log[(frame + 4)..<(frame + 8)].contains(where: { $0 != 0 }) { commits += 1 }
    }
    return commits
  }

  /// Whether anyone commits anything while `body` runs.
  package func hasCommits(during body: () throws -> Void) throws -> Bool {
    try withDatabase { watcher in
      let before = try watcher.dataVersion()
      try body()
      return try watcher.dataVersion() != before
    }
  }

  // MARK: Changing

  /// Runs `body` while another process holds the lock for writing.
  package func whileLocked(_ body: () throws -> Void) throws {
    try withDatabase { try $0.transaction(.immediate, body) }
  }

  /// Writes the catalogue as another process would, without a change.
  package func touchCatalog() throws {
    try withDatabase { database in
      try database.transaction(.immediate) {
        _ = try database.run("UPDATE business SET name = name")
      }
    }
  }

  /// Removes a business.
  package func removeBusiness(_ id: String) throws {
    try withDatabase { _ = try $0.run("DELETE FROM business WHERE business_id = ?", id) }
  }

  /// Removes every row of a table.
  package func empty(_ table: String) throws {
    try withDatabase { _ = try $0.run("DELETE FROM \(table)") }
  }

  /// Removes an API key.
  package func removeAPIKey(_ id: KeyID) throws {
    try withDatabase { _ = try $0.run("DELETE FROM api_key WHERE key_id = ?", id.description) }
  }

  /// Gives an API key the secret of another.
  package func setDigest(_ digest: [UInt8], of id: KeyID) throws {
    try withDatabase {
      _ = try $0.run("UPDATE api_key SET digest = ? WHERE key_id = ?", digest, id.description)
    }
  }

  /// Retires every signing key, the active one too.
  package func retireSigningKeys() throws {
    try withDatabase { _ = try $0.run("UPDATE signing_key SET state = 'retired'") }
  }

  /// Puts a sealed Web API Key into the row of another project.
  package func copyWebAPIKey(of source: ProjectID, to target: ProjectID) throws {
    try withDatabase { database in
      _ = try database.run(
        """
        UPDATE project SET web_api_key = (SELECT web_api_key FROM project WHERE project_id = ?)
        WHERE project_id = ?
        """, source.description, target.description)
    }
  }

  /// Alters the last byte of the sealed values of a column.
  ///
  /// - Parameters:
  ///   - column: the column.
  ///   - table: its table.
  ///   - condition: which rows, in SQL.
  /// - Throws: `Missing` where there is no such row.
  package func damage(_ column: String, of table: String, where condition: String = "1") throws {
    try withDatabase { database in
      let sealed = try database.rows("SELECT \(column) FROM \(table) WHERE \(condition)") {
        try $0.blob(0)
      }
      guard !sealed.isEmpty else { throw Missing() }
      for bytes in sealed {
        var damaged = bytes
        damaged[damaged.count - 1] ^= 1
        try database.run(
          "UPDATE \(table) SET \(column) = ? WHERE \(column) = ?", damaged, bytes)
      }
    }
  }

  /// Alters the sealed secret of a signing key.
  package func damageSecret(of id: SigningKeyID) throws {
    try damage("secret", of: "signing_key", where: "key_id = '\(id)'")
  }

  /// Puts a signing key's secret into the place of the key of user digests.
  package func moveSigningSecretToDigestKey() throws {
    try withDatabase {
      _ = try $0.run("UPDATE digest_key SET secret = (SELECT secret FROM signing_key LIMIT 1)")
    }
  }

  /// Has every insert into a table fail while `body` runs.
  package func failingInserts(into table: String, _ body: () throws -> Void) throws {
    try withDatabase {
      try $0.script(
        "CREATE TRIGGER fail BEFORE INSERT ON \(table) BEGIN SELECT raise(ABORT, 'no'); END")
    }
    try body()
    try withDatabase { try $0.script("DROP TRIGGER fail") }
  }
}
