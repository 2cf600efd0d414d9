import Domain
import Foundation
import SQLite
import Store
import StoreFixtures
import Testing

@testable import SQLiteStore

@Suite("The backup before a migration")
struct MigrationBackupTests {
  /// A store whose database was taken back to the first schema version.
  private func oldStore() throws -> TestStore {
    let store = try TestStore()
    try store.withDatabase { database in
      for trigger in try database.rows(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '%_redraws'",
        make: { try $0.text(0) })
      {
        try database.script("DROP TRIGGER \(trigger)")
      }
      try database.script(
        """
        DROP TABLE revision; DROP INDEX log_out_by_project;
        ALTER TABLE signing_key DROP COLUMN longest_ttl;
        DROP TABLE launch_count; DROP TABLE api_key_use; DROP TABLE digest_key; DROP TABLE latest_launch;
        DROP TABLE launch_clock; DROP INDEX used_launch_by_running_time; DROP INDEX log_out_by_running_time;
        ALTER TABLE used_launch DROP COLUMN running_time; ALTER TABLE log_out DROP COLUMN running_time;
        CREATE INDEX used_launch_by_time ON used_launch (at);
        DROP TRIGGER business_changed;
        CREATE TRIGGER business_changed AFTER UPDATE ON business
        WHEN (old.business_id, old.name, old.aliases, old.category, old.active)
          IS NOT (new.business_id, new.name, new.aliases, new.category, new.active) BEGIN
          UPDATE search_revision SET revision = random();
        END;
        PRAGMA user_version = 1;
        """)
    }
    return store
  }

  private func backups(_ store: TestStore) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: store.directory)
      .filter { $0.hasSuffix(".backup") || $0.hasSuffix(".partial") }
  }

  @Test("without room there is no migration, and the error says how much is missing")
  func refusesWithoutRoom() throws {
    let store = try oldStore()
    let backup = MigrationBackup(directory: store.directory, path: store.database)
    let error = #expect(throws: StoreError.self) {
      try backup.around(now: store.clock.now, freeBytes: { _ in 1 << 20 }, note: { _ in }) {
        Issue.record("it migrates")
      }
    }
    #expect(error?.kind == .inputOutput)
    #expect(error?.description.contains("Make room") == true)
    #expect(try backups(store).isEmpty)
  }

  @Test("a migration that fails leaves the backup, and the database as it was")
  func keepsTheBackupOfAFailedMigration() throws {
    let store = try oldStore()
    let backup = MigrationBackup(directory: store.directory, path: store.database)
    #expect(throws: CancellationError.self) {
      try backup.around(now: store.clock.now, note: { _ in }) { throw CancellationError() }
    }
    #expect(try backups(store).count == 1)
    #expect(try store.withDatabase { try $0.first("PRAGMA user_version") { try $0.int(0) } } == 1)
  }

  @Test("a database that is up to date is not copied")
  func copiesNothingWithoutNeed() throws {
    let store = try TestStore()
    var isRun = false
    try MigrationBackup(directory: store.directory, path: store.database)
      .around(now: store.clock.now, note: { Issue.record("\($0)") }) { isRun = true }
    #expect(isRun)
    #expect(try backups(store).isEmpty)
  }
}
