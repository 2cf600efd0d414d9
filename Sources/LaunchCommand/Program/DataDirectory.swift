import Glibc
import LaunchDomain
import LaunchStore

/// The data directory of a configuration, seen by the user who may open it.
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

  /// Opens the store; root reads the key ring, which may be readable to root alone, then becomes
  /// the owner.
  func open(clock: @escaping Clock) throws -> any Store {
    let owner = try DirectoryOwner(of: path)
    try owner.admit(to: path)
    let ring = try readKeyRing()
    try owner.assume(path: path)
    return try FileStore.open(directory: path, keyRing: ring, clock: clock)
  }

  /// Makes what is missing of the data directory.
  ///
  /// - Returns: what was made, in words.
  func initialize(clock: @escaping Clock, by actor: Actor) throws -> [String] {
    let owner = access(path, F_OK) == 0 ? try DirectoryOwner(of: path) : nil
    try owner?.admit(to: path)
    let ring = access(keyRingFile, F_OK) == 0 ? try readKeyRing() : nil
    try owner?.assume(path: path)
    let report = try FileStore.initialize(
      directory: path, keyRing: ring, masterKeyFile: keyRingFile, clock: clock, by: actor)
    return report.created
  }
}
