internal import Domain
package import SQLite
package import Store

/// The rows of an SQLite database, read and written through one connection.
///
/// Each table has a file of its own in `Tables`.
package struct SQLiteRows: ChangingRows {
  let connection: Connection

  /// Takes the connection that rows are read and written through.
  package init(_ connection: Connection) {
    self.connection = connection
  }

  package func revision() throws -> Revision {
    let revision = try connection.first("SELECT knowledge, log_outs FROM revision") { row in
      Revision(knowledge: try row.int(0), logOuts: try row.int(1))
    }
    return try known(revision)
  }

  package var isAlone: Bool { connection.holdsWriteLock }
}

extension Row {
  func time(_ column: Int) throws -> Timestamp {
    Timestamp(milliseconds: Int64(try int(column)))
  }

  func optionalTime(_ column: Int) throws -> Timestamp? {
    try optionalInt(column).map { Timestamp(milliseconds: Int64($0)) }
  }
}
