import Foundation
import StoreFixtures

extension TestStore {
  /// Puts another file in the place of the database, whose log files go too.
  func replaceDatabase(with file: String) throws {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: database + suffix)
    }
    try FileManager.default.moveItem(atPath: file, toPath: database)
  }

  /// Makes files until those that come after get other numbers than those that were just removed had.
  func takeFreedFileNumbers() throws {
    for _ in 0..<8 { try Data().write(to: URL(filePath: "\(directory)/\(UUID().uuidString)")) }
  }
}
