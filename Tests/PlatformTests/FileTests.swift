import Foundation
import Platform
import Testing

@Suite struct FileTests {
  @Test(
    "a path is cut at its last slash",
    arguments: [
      ("/a/b.db", "/a", "b.db"), ("/b.db", "/", "b.db"), ("b.db", ".", "b.db"), ("a/b", "a", "b"),
      // A combining mark behind the slash.
      ("/a/\u{301}b", "/a", "\u{301}b"),
    ])
  func parts(path: String, directory: String, name: String) {
    #expect(Array(FilePath.directory(of: path).utf8) == Array(directory.utf8))
    #expect(Array(FilePath.name(of: path).utf8) == Array(name.utf8))
  }

  @Test("a file that takes the place of another differs, and a second name does not")
  func identity() throws {
    try withDirectory { directory in
      let (file, other) = (directory + "/file", directory + "/other")
      try Data().write(to: URL(filePath: file))
      try FileManager.default.linkItem(atPath: file, toPath: other)
      #expect(FileIdentity(file) == FileIdentity(other))
      #expect(FilePlace(file) != FilePlace(other))
      let first = FileIdentity(file)
      try Data().write(to: URL(filePath: directory + "/new"))
      #expect(rename(directory + "/new", file) == 0)
      #expect(FileIdentity(file) != first)
      #expect(FileIdentity(directory + "/missing") == nil)
    }
  }

  @Test("a place is the same by whichever path its directory is reached") func place() throws {
    try withDirectory { directory in
      try FileManager.default.createSymbolicLink(
        atPath: directory + "/link", withDestinationPath: directory)
      #expect(FilePlace(directory + "/file") == FilePlace(directory + "/link/file"))
      #expect(FilePlace(directory + "/\u{E9}") != FilePlace(directory + "/e\u{301}"))
    }
  }

  @Test("a temporary file goes with what stands beside it, and with nothing else") func temporary()
    throws
  {
    try withDirectory { directory in
      let path = directory + "/copy"
      for suffix in ["", "-wal", "-other"] { try Data().write(to: URL(filePath: path + suffix)) }
      TemporaryFile(path, besides: ["", "-wal"]).remove()
      #expect(FilePath.names(in: directory) == ["copy-other"])
    }
  }

  @Test("a file of proc is read whole") func proc() throws {
    #expect(try #require(SmallFile.read("/proc/self/stat")).count > 20)
    #expect(SmallFile.read("/proc/self/missing") == nil)
  }

  private func withDirectory(_ body: (String) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.path + "/platform-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: false)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: directory) } }
    try body(directory)
  }
}
