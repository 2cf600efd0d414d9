/// The prepared statements of a connection, found by their SQL.
struct StatementCache {
  /// More than a program has statements; what is made up at run time must not pile up.
  static let capacity = 128

  private var statements: [Key: Statement] = [:]
  private var uses = 0

  /// The statement for `sql`, if there is one and nobody is using it.
  mutating func statement(for sql: String) -> Statement? {
    guard let statement = statements[Key(sql: sql)], !statement.isInUse else { return nil }
    uses += 1
    statement.lastUse = uses
    return statement
  }

  /// Keeps `statement`, unless its SQL has one already; the one unused for longest gives way.
  mutating func insert(_ statement: Statement) {
    let key = Key(sql: statement.sql)
    guard statements[key] == nil else { return }
    if statements.count >= Self.capacity {
      let idle = statements.filter { !$0.value.isInUse }
      guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
      statements[oldest.key] = nil
    }
    uses += 1
    statement.lastUse = uses
    statements[key] = statement
  }

  mutating func removeAll() { statements = [:] }

  var count: Int { statements.count }

  /// SQL compared byte by byte: Swift's own `==` takes differently composed letters for the same.
  private struct Key: Hashable {
    let sql: String

    static func == (a: Key, b: Key) -> Bool {
      a.sql.utf8.count == b.sql.utf8.count && a.sql.utf8.elementsEqual(b.sql.utf8)
    }

    func hash(into hasher: inout Hasher) {
      // The ends tell statements apart well enough, and hashing all of a long one takes time.
      hasher.combine(sql.utf8.count)
      for byte in sql.utf8.suffix(16) { hasher.combine(byte) }
    }
  }
}
