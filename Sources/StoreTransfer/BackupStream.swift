public import Domain
internal import Glibc
internal import Platform
internal import SQLite
internal import SQLiteStore
public import Store

extension StoreTransfer {
  private static let pieceSize = 1 << 20

  /// Makes a backup like ``backUp(to:named:directory:keyRing:replacing:clock:by:)``, and hands it out in pieces.
  ///
  /// The copy lies in the data directory until it is checked, and has no name while it is handed out.
  ///
  /// - Parameters:
  ///   - directory: the data directory.
  ///   - keyRing: the master keys, which every secret of the copy has to open with.
  ///   - clock: tells the time.
  ///   - actor: for the audit log.
  ///   - write: takes a piece.
  /// - Returns: the backup.
  /// - Throws: `StoreError`, and what `write` throws.
  public static func backUp(
    directory: String, keyRing: KeyRing, clock: @escaping Clock, by actor: Actor,
    writing write: ([UInt8]) throws -> Void
  ) throws -> BackupReport {
    try withBackup(
      recordedAs: DatabaseCopy.standardOutput, beside: DatabaseFile.path(in: directory),
      directory: directory, keyRing: keyRing, clock: clock, by: actor
    ) { partial, contents in
      let size = DatabaseFile.size(partial.path)
      let descriptor = Glibc.open(partial.path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw SecretFile.failure("read", partial.path) }
      defer { close(descriptor) }
      partial.remove()
      var piece = [UInt8](repeating: 0, count: pieceSize)
      while true {
        let count = read(descriptor, &piece, piece.count)
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { throw SecretFile.failure("read", partial.path) }
        if count == 0 { break }
        try write(Array(piece[..<count]))
      }
      return BackupReport(path: DatabaseCopy.standardOutput, size: size, contents: contents)
    }
  }

  /// Keeps a backup that arrives in pieces in the data directory while `body` works on it.
  ///
  /// - Parameters:
  ///   - directory: the data directory.
  ///   - next: gives the next piece; an empty one is the end.
  ///   - body: works on the file, which is removed afterwards.
  /// - Returns: what `body` returns.
  /// - Throws: `StoreError` that does not name the file, and what `next` and `body` throw.
  public static func withReceivedBackup<Value>(
    in directory: String, next: () throws -> [UInt8], _ body: (_ file: String) throws -> Value
  ) throws -> Value {
    let file = TemporaryFile(
      DatabaseFile.path(in: directory) + partialMark + "\(getpid())", besides: Connection.suffixes)
    removeDeadPartials(beside: file.path)
    defer { file.remove() }
    do {
      let descriptor = Glibc.open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw SecretFile.failure("create", file.path) }
      do {
        defer { close(descriptor) }
        while case let piece = try next(), !piece.isEmpty {
          try SecretFile.write(piece, to: descriptor, of: file.path)
        }
      }
      return try body(file.path)
    } catch let error as StoreError {
      throw StoreError(
        error.kind, error.description.replacing(file.path, with: "what came on standard input"))
    }
  }
}
