internal import Glibc
internal import Store

/// Marks a data directory as in use, for as long as it lives.
///
/// Every process that has the store open shares the mark; a restore, which replaces the database, takes it
/// alone. The kernel keeps the mark (`flock` on the directory), so that a killed process leaves none.
package final class DirectoryUse: Sendable {
  private let descriptor: Int32

  /// Takes the mark together with others, after a restore that is under way.
  init(shared directory: String) throws {
    descriptor = try Self.open(directory, O_DIRECTORY)
    try Self.lock(descriptor, LOCK_SH, directory)
  }

  /// Takes the mark alone.
  ///
  /// - Throws: `StoreError` of kind `inUse` while a server or a command has the store open.
  package init(alone directory: String) throws {
    descriptor = try Self.open(directory, O_DIRECTORY)
    // A command ends soon; a server stays.
    for _ in 0..<20 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
      guard errno == EWOULDBLOCK || errno == EINTR else { break }
      usleep(100_000)
    }
    close(descriptor)
    throw StoreError(
      .inUse,
      "The database in \(directory) is in use: a server runs on it, or another command, such as one that waits "
        + "for an answer. End it first.")
  }

  /// Locks a file, which is made where it is missing, and waits for others that hold it.
  init(waitingFor file: String) throws {
    descriptor = try Self.open(file, O_CREAT)
    try Self.lock(descriptor, LOCK_EX, file)
  }

  deinit {
    close(descriptor)
  }

  private static func open(_ path: String, _ flags: Int32) throws -> Int32 {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | flags, 0o600)
    guard descriptor >= 0 else { throw SecretFile.failure("open", path) }
    return descriptor
  }

  private static func lock(_ descriptor: Int32, _ kind: Int32, _ path: String) throws {
    while flock(descriptor, kind) != 0 {
      guard errno == EINTR else {
        let failure = SecretFile.failure("lock", path)
        close(descriptor)
        throw failure
      }
    }
  }
}
