import Configuration
import Domain
import Glibc
import SQLiteStore
import Store
import StoreTransfer

/// The data directory of a configuration, worked on as its owner.
struct DataDirectory {
  let path: String
  private let masterKeyFile: String?
  private let credentialsDirectory: String?

  init(_ configuration: Configuration, environment: [String: String]) {
    path = configuration.dataDirectory
    masterKeyFile = configuration.masterKeyFile
    credentialsDirectory = environment["CREDENTIALS_DIRECTORY"]
  }

  private var keyRingFile: String { masterKeyFile ?? path + "/master.key" }

  private func readKeyRing() throws -> KeyRing {
    try KeyRing.read(keyRingFile, credentialsDirectory: credentialsDirectory)
  }

  /// Opens the store; root reads the key ring, which may be readable to root alone, before it becomes the owner.
  func open(clock: @escaping Clock, note: (String) -> Void) throws -> Store {
    try SQLiteStore.open(directory: path, keyRing: enter(), clock: clock, note: note)
  }

  /// Checks the database or a backup; see `SQLiteStore.check`.
  func check(_ file: String?) throws -> DatabaseReport {
    let keyRing = try enter()
    return try withFile(file) {
      try SQLiteStore.check($0, directory: path, keyRing: keyRing)
    }
  }

  /// Runs `body` with the file, or with what standard input holds when the file is `-`.
  private func withFile<Value>(_ file: String?, _ body: (String?) throws -> Value) throws -> Value {
    guard file == "-" else { return try body(file) }
    let input = try FileReader.standardInput()
    return try StoreTransfer.withReceivedBackup(in: path, next: input.next, body)
  }

  /// Makes a backup; see `StoreTransfer.backUp`.
  func backUp(
    to file: String, named name: String, replacing: Bool, clock: @escaping Clock, by actor: Actor
  ) throws -> BackupReport {
    try StoreTransfer.backUp(
      to: file, named: name, directory: path, keyRing: enter(), replacing: replacing, clock: clock,
      by: actor)
  }

  /// Makes a backup and writes it in pieces; see `StoreTransfer.backUp`.
  func backUp(
    clock: @escaping Clock, by actor: Actor, writing write: ([UInt8]) throws -> Void
  ) throws -> BackupReport {
    try StoreTransfer.backUp(
      directory: path, keyRing: enter(), clock: clock, by: actor, writing: write)
  }

  /// Restores a backup; see `StoreTransfer.restore`.
  func restore(
    from file: String, named name: String?, _ manner: RestoreManner, clock: @escaping Clock,
    by actor: Actor
  ) throws -> RestoreReport {
    guard access(path, F_OK) == 0 || errno != ENOENT else {
      throw CommandFailure(
        .configuration,
        "There is no data directory \(path). Make it for the user that the server runs as (mkdir -m 0700 "
          + "\(path)), put the key ring of the backup's time into its place (\(keyRingFile), mode 0600, of "
          + "the same user), then restore.")
    }
    let keyRing = try enter()
    return try withFile(file) {
      try StoreTransfer.restore(
        from: $0 ?? file, named: name ?? DatabaseCopy.standardInput, directory: path,
        keyRing: keyRing, manner, clock: clock, by: actor)
    }
  }

  /// Becomes the owner when the process runs as root.
  ///
  /// - Returns: the key ring, which is read before that.
  private func enter() throws -> KeyRing {
    let owner = try DirectoryOwner(of: path)
    try owner.admit(to: path)
    let ring = try readKeyRing()
    try owner.assume(path: path)
    return ring
  }

  /// Becomes the owner when the process runs as root and the directory exists.
  func becomeOwner() throws {
    guard geteuid() == 0, access(path, F_OK) == 0 else { return }
    try DirectoryOwner(of: path).assume(path: path)
  }

  /// Makes the parts of the data directory that are missing.
  ///
  /// - Returns: the parts that were made, in words.
  func initialize(
    clock: @escaping Clock, by actor: Actor, note: (String) -> Void
  ) throws -> [String] {
    let owner = access(path, F_OK) == 0 ? try DirectoryOwner(of: path) : nil
    try owner?.admit(to: path)
    let ring = access(keyRingFile, F_OK) == 0 ? try readKeyRing() : nil
    try owner?.assume(path: path)
    let report = try SQLiteStore.initialize(
      directory: path, keyRing: ring, masterKeyFile: keyRingFile, clock: clock, by: actor,
      note: note)
    return report.created
  }
}
