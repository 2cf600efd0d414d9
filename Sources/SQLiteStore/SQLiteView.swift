internal import SQLite
internal import Store

/// One thread's view of the tables, through a connection of its own.
final class SQLiteView: TablesView {
  private var watch: PlaceWatch
  private let database: OpenDatabase
  private let connection: Connection
  let rows: any Rows

  init(_ connection: Connection, of database: OpenDatabase) {
    watch = PlaceWatch(database)
    self.database = database
    self.connection = connection
    rows = SQLiteRows(connection)
  }

  func changeCounter() throws -> Int { try connection.dataVersion() }

  var isInPlace: Bool { watch.isInPlace() }

  var sizes: DatabaseSizes { DatabaseSizes(ofFilesAt: database.path) }

  func atOneMoment<Value>(_ body: () throws -> Value) throws -> Value {
    try connection.transaction(.deferred, body)
  }

  func storeError(for error: any Error) -> any Error { StoreError.translated(error) }
}

extension DatabaseSizes {
  /// Looks at the files; one that is not there takes nothing.
  init(ofFilesAt path: String) {
    self.init(
      database: DatabaseFile.size(path), writeAheadLog: DatabaseFile.size(path + "-wal"))
  }
}
