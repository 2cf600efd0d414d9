internal import Cryptography
internal import Domain
internal import Glibc

/// The master keys that the secrets of a database are sealed with; the last one seals.
///
/// Each line of its file is a key, `<id>:<base64 of 32 bytes>`. A sealed value names its key and is bound to its
/// place, so it opens nowhere else (docs/security.md).
public struct KeyRing: Sendable {
  private struct Key: Sendable {
    let id: String
    let secret: LockedBytes

    static func random() throws -> Key {
      var generator = SecureRandom()
      var secret = randomBytes(AESGCM.keyLength, using: &generator)
      return Key(
        id: "mk_" + Hex.encode(randomBytes(6, using: &generator)),
        secret: try LockedBytes(taking: &secret))
    }

    var line: String { "\(id):\(secret.withUnsafeBytes { Base64.encode($0) })\n" }
  }

  /// Where a ring was read from.
  private struct Origin: Sendable {
    let path: String
    let credentialsDirectory: String?

    var isCredential: Bool {
      credentialsDirectory.map { path.utf8.starts(with: ($0 + "/").utf8) } ?? false
    }
  }

  /// The place of a sealed value: moved to another, it does not open.
  package struct Place: Sendable {
    /// The table.
    package let table: String
    /// What names the row in the table.
    package let row: String
    /// The column.
    package let column: String

    /// Names a place.
    package init(table: String, row: String, column: String) {
      self.table = table
      self.row = row
      self.column = column
    }

    var associatedData: [UInt8] {
      Array("launchlink/sealed/v1\u{0}\(table)\u{0}\(row)\u{0}\(column)".utf8)
    }
  }

  private static let idLength = 15
  private let keys: [Key]
  private let origin: Origin

  /// Reads a key ring.
  ///
  /// - Parameters:
  ///   - path: the file, of mode 0600 or tighter.
  ///   - credentialsDirectory: where systemd puts credentials; a file in it may have mode 0440.
  /// - Returns: the keys.
  /// - Throws: `StoreError`.
  public static func read(_ path: String, credentialsDirectory: String?) throws -> KeyRing {
    let origin = Origin(path: path, credentialsDirectory: credentialsDirectory)
    let text = try SecretFile.read(path, isCredential: origin.isCredential)
    return try KeyRing(text, from: origin)
  }

  private init(_ text: String, from origin: Origin) throws {
    self.origin = origin
    var keys: [Key] = []
    for (index, line) in text.split(separator: "\n").enumerated() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, Self.isID(String(parts[0])),
        var secret = Base64.decode(String(parts[1])), secret.count == AESGCM.keyLength,
        !keys.contains(where: { $0.id == parts[0] })
      else {
        throw StoreError(
          .unusable,
          "The master key file is damaged in line \(index + 1). Restore it from your own backup.")
      }
      keys.append(Key(id: String(parts[0]), secret: try LockedBytes(taking: &secret)))
    }
    guard !keys.isEmpty else {
      throw StoreError(
        .unusable, "The master key file is empty. Restore it from your own backup.")
    }
    self.keys = keys
  }

  private init(_ keys: [Key], from origin: Origin) {
    self.keys = keys
    self.origin = origin
  }

  /// Makes the file of a ring with one new key.
  package static func create(_ path: String) throws {
    try SecretFile.create(path, text: Key.random().line)
  }

  // MARK: Changing the ring

  /// The public name of the key that seals.
  var sealingID: String { keys.last?.id ?? "" }

  /// Reads the ring's file anew.
  func reread() throws -> KeyRing {
    try KeyRing.read(origin.path, credentialsDirectory: origin.credentialsDirectory)
  }

  /// The ring as its file has it now.
  ///
  /// Root reads the file for the data directory's owner, who may not be allowed to read it. No process of that
  /// user can change such a file, so the ring stays as it was read.
  package func asOfNow() throws -> KeyRing {
    if access(origin.path, R_OK) != 0, errno == EACCES { return self }
    return try reread()
  }

  /// Reads the file anew to write it afterwards, or says how it can be written.
  func rereadToChange() throws -> KeyRing {
    // Leftovers hold keys that nobody needs, or that are dropped now.
    try SecretFile.removeLeftovers(of: origin.path)
    do {
      return try reread()
    } catch let error as StoreError where error.kind == .permission {
      throw StoreError(
        .permission,
        "The key ring \(origin.path) cannot be changed by the owner of the data directory, "
          + "whom this command works as. Move it to where that user alone can write, "
          + "such as the data directory, name it by master_key_file, and try again; afterwards it can "
          + "go back. \(error.description)")
    }
  }

  /// A ring with a new key that seals from now on, on disk before it is used.
  func addingKey() throws -> KeyRing { try saved(keys + [Key.random()]) }

  /// The keys that may go: those that are not `named`, but for the one that seals.
  func unneeded(besides named: Set<String>) -> [String] {
    keys.map(\.id).filter { !named.contains($0) && $0 != sealingID }
  }

  /// A ring without some keys, on disk before it is used.
  func removing(_ ids: [String]) throws -> KeyRing {
    ids.isEmpty ? self : try saved(keys.filter { !ids.contains($0.id) })
  }

  private func saved(_ keys: [Key]) throws -> KeyRing {
    guard !origin.isCredential else {
      throw StoreError(
        .permission,
        "The key ring \(origin.path) is a systemd credential, which cannot be written. Change the "
          + "file that LoadCredential= names, as root: a line is an id of the form mk_<12 hexadecimal "
          + "digits>, a colon and the base64 of 32 random bytes, and the last line seals. Then restart "
          + "the server.")
    }
    try SecretFile.replace(origin.path, text: keys.map(\.line).joined())
    return KeyRing(keys, from: origin)
  }

  // MARK: Sealing

  /// Whether the ring has the key of this public name.
  public func holds(_ id: String) -> Bool { keys.contains { $0.id == id } }

  /// The public name of the key that a value was sealed with.
  package static func id(of sealed: [UInt8]) -> String {
    String(decoding: sealed.prefix(idLength), as: UTF8.self)
  }

  /// Whether a text has the form of a key's public name; a damaged value begins with something else.
  static func isID(_ text: String) -> Bool { text.utf8.count == idLength && text.isVisibleASCII }

  func seal(_ secret: [UInt8], at place: Place) throws -> [UInt8] {
    guard let key = keys.last else { throw StoreError(.unusable, "The key ring is empty.") }
    var generator = SecureRandom()
    let nonce = randomBytes(AESGCM.nonceLength, using: &generator)
    return try Array(key.id.utf8)
      + AESGCM.seal(secret, key: key.secret, nonce: nonce, associatedData: place.associatedData)
  }

  func open(_ sealed: [UInt8], at place: Place) throws -> [UInt8] {
    let id = Self.id(of: sealed)
    guard let key = keys.first(where: { $0.id == id }) else {
      throw StoreError(
        .unusable,
        Self.isID(id)
          ? "A sealed value of \(place.table) \(place.row) was sealed with the master key \(id), which the master "
            + "key file does not hold. Put the right file in its place. Where other values open with it: "
            + place.remedy
          : "A sealed value of \(place.table) \(place.row) is damaged: it names no master key. "
            + place.remedy)
    }
    do {
      return try AESGCM.open(
        Array(sealed.dropFirst(Self.idLength)), key: key.secret,
        associatedData: place.associatedData)
    } catch {
      throw StoreError(
        .unusable,
        "A sealed value of \(place.table) \(place.row) does not open with the master key \(id): the key "
          + "ring is not this database's, or the value was altered or moved. Put the right key ring in "
          + "its place. Where other values open with it: \(place.remedy)")
    }
  }
}
