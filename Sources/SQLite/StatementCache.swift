import Glibc

/// The prepared statements of a connection, found by their SQL.
struct StatementCache {
  /// The largest number of statements, more than a program has: SQL that is composed at run time must not pile up.
  static let capacity = 128

  private var statements: [Key: Statement] = [:]
  /// The statement that was asked for last, which a transaction of many changes asks for again and again.
  private var latest: (key: Key, statement: Statement)?
  private var uses = 0

  /// The statement for `sql`, if there is one and nobody is using it.
  mutating func statement(for sql: String) -> Statement? {
    let key = Key(sql: sql)
    guard let statement = latest?.key == key ? latest?.statement : statements[key],
      !statement.isInUse
    else { return nil }
    latest = (key, statement)
    uses += 1
    statement.lastUse = uses
    return statement
  }

  /// Keeps `statement`, unless its SQL has one already; the least recently used one is dropped.
  mutating func insert(_ statement: Statement) {
    let key = Key(sql: statement.sql)
    guard statements[key] == nil else { return }
    if statements.count >= Self.capacity {
      let idle = statements.filter { !$0.value.isInUse }
      guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
      statements[oldest.key] = nil
      latest = nil
    }
    uses += 1
    statement.lastUse = uses
    statements[key] = statement
  }

  mutating func removeAll() {
    statements = [:]
    latest = nil
  }

  var count: Int { statements.count }

  /// SQL compared byte by byte: Swift's own `==` takes differently composed letters for the same.
  private struct Key: Hashable {
    let sql: String

    static func == (a: Key, b: Key) -> Bool {
      a.withBytes { a in
        b.withBytes { b in
          guard a.count == b.count, let first = a.baseAddress, let second = b.baseAddress else {
            return a.isEmpty && b.isEmpty
          }
          // Mostly both are one and the same literal.
          return first == second || memcmp(first, second, a.count) == 0
        }
      }
    }

    func hash(into hasher: inout Hasher) {
      // The ends tell statements apart well enough, and hashing all of a long one takes time.
      withBytes { bytes in
        hasher.combine(bytes.count)
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes.suffix(16)))
      }
    }

    private func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
      sql.utf8Span.span.withUnsafeBytes(body)
    }
  }
}
