internal import SQLite
package import Store

extension StoreError {
  /// Runs `body` and says its database errors in the store's words.
  package static func translating<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      throw translated(error)
    }
  }

  /// A database error in the store's words; every other error as it is.
  static func translated(_ error: any Error) -> any Error {
    switch error {
    case let error as SQLiteError: StoreError(error)
    case let error as MigrationError: StoreError(error)
    default: error
    }
  }

  private init(_ error: MigrationError) {
    switch error {
    case .foreignDatabase:
      self.init(.unusable, "The database cannot be used: \(error).")
    case .newerVersion:
      self.init(
        .unusable,
        "The database cannot be used: \(error). A newer LaunchLink wrote it: install that version "
          + "again, or restore a backup from before the upgrade.")
    }
  }

  private init(_ error: SQLiteError) {
    switch error.kind {
    case .busy:
      self.init(.unavailable, "The database is locked by another process. Try again.")
    case .readOnly:
      self.init(.permission, "The database may not be written: \(error.message).")
    case .readOnlyFileSystem:
      self.init(
        .inputOutput,
        "The file system of the database is read-only. Nothing was changed. If it turned so by itself, its "
          + "disk has failed: see dmesg.")
    case .cannotOpen, .notAFile:
      self.init(.unusable, "The database cannot be opened: \(error.message).")
    case .notADatabase, .corrupt, .unexpectedValue:
      self.init(
        .unusable, "The database is damaged: \(error.message). Restore it from a backup.")
    case .full:
      self.init(.inputOutput, "The disk is full. Nothing was changed.")
    case .io:
      self.init(.inputOutput, "The disk is full or failed: \(error.message).")
    case .constraint, .misuse, .other:
      self.init(.unusable, "The database refused: \(error.message).")
    }
  }
}
