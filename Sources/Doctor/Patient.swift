public import Configuration
public import Domain
import Platform
import SQLiteStore
import Store
import StoreTransfer

/// Everything that the doctor's checks look at, gathered once.
public struct Patient {
  let loaded: Result<LoadedConfiguration, ConfigurationFaults>
  /// The data directory, as well as a faulty configuration tells it.
  let directory: String
  let masterKeyFile: String
  let keyRing: Result<KeyRing, any Error>
  let facts: Result<DatabaseFacts, any Error>
  /// The copies of the database that are known, the last backup first.
  let copies: [DatabaseCopy]
  /// The files of the database and of the key ring in the data directory, before the database was opened.
  let files: [(path: String, facts: FileFacts)]
  /// The owner of the data directory; nil when there is no directory.
  let owner: DirectoryOwner?
  let now: Timestamp

  var configuration: Configuration? { try? loaded.get().configuration }
  /// The database's facts; nil when it cannot be read.
  var known: DatabaseFacts? { try? facts.get() }

  /// Gathers everything, and becomes the owner of the data directory.
  ///
  /// Root reads the key ring before that. Reading the database as root would leave root's files beside it.
  ///
  /// - Parameters:
  ///   - source: the sources of the configuration.
  ///   - environment: the process environment.
  ///   - now: the time of the checks.
  public init(source: ConfigurationSource, environment: [String: String], now: Timestamp) {
    self.now = now
    loaded = Result(catching: source.load)
    directory = source.text(of: Settings.dataDirectory) ?? ".launchlink"
    masterKeyFile = source.text(of: Settings.masterKeyFile) ?? directory + "/master.key"
    let credentials = environment["CREDENTIALS_DIRECTORY"]
    let file = masterKeyFile
    keyRing = Result { try KeyRing.read(file, credentialsDirectory: credentials) }
    let path = directory
    let owner = Result { try DirectoryOwner(of: path) }
    self.owner = try? owner.get()
    files = FilePath.names(in: path)
      .filter { $0.hasPrefix("launchlink.db") || $0.hasPrefix("master.key") }
      .compactMap { name in FileFacts(path + "/" + name).map { (path + "/" + name, $0) } }
    let ring = try? keyRing.get()
    var copies: [DatabaseCopy] = []
    facts = Result {
      let owner = try owner.get()
      try owner.admit(to: path)
      try owner.assume(path: path)
      let facts = try SQLiteStore.facts(directory: path, keyRing: ring)
      if facts.isReadable { copies = try StoreTransfer.copies(directory: path) }
      return facts
    }
    self.copies = copies
  }
}
