import Glibc
import JSON
import Domain
import SQLiteStore
import Store
import StoreTransfer
import YAML

/// One thing that a check found.
struct HealthFinding: Equatable {
  enum Level: String {
    case ok
    case warning
    case error
  }

  let level: Level
  /// What is so.
  let what: String
  /// Why it matters; empty where all is well.
  var why = ""
  /// How to mend it, mostly a command to copy; empty where all is well.
  var mend = ""

  static func ok(_ what: String) -> Self { .init(level: .ok, what: what) }

  static func warning(_ what: String, why: String, mend: String) -> Self {
    .init(level: .warning, what: what, why: why, mend: mend)
  }

  static func error(_ what: String, why: String, mend: String) -> Self {
    .init(level: .error, what: what, why: why, mend: mend)
  }
}

/// One of the doctor's checks.
struct HealthCheck: Sendable {
  /// What it looks at, as it stands before each finding.
  let name: String
  /// Looks, and changes nothing; it gives nothing where what it looks at is not there.
  let examine: @Sendable (Patient) -> [HealthFinding]

  /// All of them, in the order in which a fault of one explains those of the next.
  static let all: [HealthCheck] = [
    .configuration, .dataDirectory, .files, .masterKey, .database, .signingKeys, .apiKeys,
    .projects, .names, .backups, .clock, .disk, .descriptors, .accessLog, .listeners, .tls, .server,
  ]
}

/// What the doctor looks at, gathered once.
struct Patient {
  let loaded: Result<LoadedConfiguration, any Error>
  /// Where the data is, as far as that can be told with a broken configuration.
  let directory: String
  let masterKeyFile: String
  let keyRing: Result<KeyRing, any Error>
  let facts: Result<DatabaseFacts, any Error>
  /// The copies of the database that are known, the last backup first.
  let copies: [DatabaseCopy]
  /// The files of the database and of the key ring in the data directory, as they were before the
  /// database was opened.
  let files: [(path: String, facts: FileFacts)]
  /// The owner of the data directory; nil where there is none.
  let owner: DirectoryOwner?
  let now: Timestamp

  var configuration: Configuration? { try? loaded.get().configuration }
  /// What the database tells, where it can be read.
  var known: DatabaseFacts? { try? facts.get() }

  /// Gathers everything; root reads the master key and then becomes the owner of the data directory,
  /// so that looking leaves no file of root's beside the database.
  init(_ context: Context) {
    now = context.clock()
    loaded = Result { try context.loadConfiguration() }
    directory = Self.setting(Settings.dataDirectory.name, in: context) ?? ".launchlink"
    masterKeyFile =
      Self.setting(Settings.masterKeyFile.name, in: context) ?? directory + "/master.key"
    let credentials = context.environment["CREDENTIALS_DIRECTORY"]
    let file = masterKeyFile
    keyRing = Result { try KeyRing.read(file, credentialsDirectory: credentials) }
    let path = directory
    let owner = Result { try DirectoryOwner(of: path) }
    self.owner = try? owner.get()
    files = FileFacts.names(in: path)
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

  /// A setting's text by whatever says it most strongly, whether or not the rest is right.
  private static func setting(_ name: String, in context: Context) -> String? {
    if name == Settings.dataDirectory.name, let named = context.globals.dataDirectory {
      return named
    }
    var sources = SettingSources()
    let named = context.globals.config ?? context.environment["LAUNCHLINK_CONFIG"]
    let system = LoadedConfiguration.systemFile
    if let file = named ?? (access(system, F_OK) == 0 ? system : nil) {
      sources.addFile(file, isNamedByVariable: false)
    }
    sources.addVariables(context.environment)
    for case .node(let node, _) in (sources.candidates[name] ?? []).reversed() {
      if let text = node.string, !text.isEmpty { return text }
    }
    return nil
  }
}

/// What the system says of a file.
struct FileFacts {
  let owner: uid_t
  let mode: mode_t

  /// Looks at the path; nil where nothing is there or it cannot be seen.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    owner = status.st_uid
    mode = status.st_mode & 0o7777
  }

  var octal: String { "0" + String(mode, radix: 8) }

  /// The names in a directory, sorted; none where it cannot be read.
  ///
  /// A name that is not UTF-8 is left out: no file of ours has one.
  static func names(in path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
      }
      if let name { names.append(name) }
    }
    return names.sorted()
  }

  /// What a user is called.
  static func name(of user: uid_t) -> String { SystemUser(id: user)?.name ?? "uid \(user)" }
}
