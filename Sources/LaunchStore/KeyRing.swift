internal import Cryptography
internal import Glibc
internal import LaunchDomain

/// The master keys that seal what the database holds of secrets; the last one seals.
///
/// In its file each line is a key, `<id>:<base64 of 32 bytes>`. A sealed value names its key and is
/// bound to its place, so that it opens nowhere else (CONTRACT.md section 8).
public struct KeyRing: Sendable {
  private struct Key: Sendable {
    let id: String
    let secret: [UInt8]
  }

  /// The place of a sealed value: moved to another, it does not open.
  struct Place {
    let table: String
    let row: String
    let column: String

    var associatedData: [UInt8] {
      Array("launchlink/sealed/v1\u{0}\(table)\u{0}\(row)\u{0}\(column)".utf8)
    }
  }

  private static let idLength = 15
  private let keys: [Key]

  /// Reads a key ring.
  ///
  /// - Parameters:
  ///   - path: the file, of mode 0600 or tighter.
  ///   - credentialsDirectory: where systemd puts credentials; a file in it may have mode 0440.
  /// - Returns: the keys.
  /// - Throws: `StoreError`.
  public static func read(_ path: String, credentialsDirectory: String?) throws -> KeyRing {
    let isCredential = credentialsDirectory.map { path.hasPrefix($0 + "/") } ?? false
    let text = try SecretFile.read(path, allowedMode: isCredential ? 0o440 : 0o600)
    return try KeyRing(text)
  }

  /// Reads the lines of a key ring.
  init(_ text: String) throws {
    var keys: [Key] = []
    for (index, line) in text.split(separator: "\n").enumerated() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, parts[0].utf8.count == Self.idLength, String(parts[0]).isVisibleASCII,
        let secret = Base64.decode(String(parts[1])), secret.count == AESGCM.keyLength,
        !keys.contains(where: { $0.id == parts[0] })
      else {
        throw StoreError(
          .unusable,
          "The master key file is damaged in line \(index + 1). Restore it from your own backup.")
      }
      keys.append(Key(id: String(parts[0]), secret: secret))
    }
    guard !keys.isEmpty else {
      throw StoreError(
        .unusable, "The master key file is empty. Restore it from your own backup.")
    }
    self.keys = keys
  }

  /// Makes the text of a ring with one new key.
  static func makeText() -> String {
    var generator = SecureRandom()
    let id = Hex.encode(randomBytes(6, using: &generator))
    let secret = Base64.encode(randomBytes(AESGCM.keyLength, using: &generator))
    return "mk_\(id):\(secret)\n"
  }

  func seal(_ secret: [UInt8], at place: Place) throws -> [UInt8] {
    guard let key = keys.last else { throw StoreError(.unusable, "The key ring is empty.") }
    var generator = SecureRandom()
    let nonce = randomBytes(AESGCM.nonceLength, using: &generator)
    return try Array(key.id.utf8)
      + AESGCM.seal(secret, key: key.secret, nonce: nonce, associatedData: place.associatedData)
  }

  func open(_ sealed: [UInt8], at place: Place) throws -> [UInt8] {
    let id = String(decoding: sealed.prefix(Self.idLength), as: UTF8.self)
    guard let key = keys.first(where: { $0.id == id }) else {
      throw StoreError(
        .unusable,
        "The database was sealed with the master key \(id.isVisibleASCII ? id : "?"), which the "
          + "master key file does not hold. Put the right file in its place.")
    }
    do {
      return try AESGCM.open(
        Array(sealed.dropFirst(Self.idLength)), key: key.secret,
        associatedData: place.associatedData)
    } catch {
      throw StoreError(
        .unusable,
        "A sealed value of \(place.table) \(place.row) does not open: it was altered or moved. "
          + "Restore the database from a backup.")
    }
  }
}

/// Files that only their owner may read.
enum SecretFile {
  private static let largest = 65_536

  /// Reads a whole file after checking who else could.
  static func read(_ path: String, allowedMode: mode_t) throws -> String {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("read", path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure("read", path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw StoreError(.permission, "\(path) is no plain file.")
    }
    guard status.st_mode & 0o7777 & ~allowedMode == 0 else {
      let mode = String(status.st_mode & 0o7777, radix: 8)
      throw StoreError(
        .permission,
        "\(path) has mode 0\(mode), so that others could read it. Run: chmod "
          + "0\(String(allowedMode, radix: 8)) \(path)")
    }
    var bytes = [UInt8](repeating: 0, count: largest)
    var count = 0
    while count < bytes.count {
      let got = bytes[count...].withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else { throw failure("read", path) }
      if got == 0 { break }
      count += got
    }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// Makes a file that must not exist, whole or not at all, and sees it on disk.
  static func create(_ path: String, text: String) throws {
    let temporary = path + ".new"
    unlink(temporary)
    let descriptor = Glibc.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("create", temporary) }
    defer { close(descriptor) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 && errno == EINTR { continue }
      guard written > 0 else { throw failure("write", temporary) }
      rest = rest.dropFirst(written)
    }
    guard fsync(descriptor) == 0 else { throw failure("write", temporary) }
    // A link, unlike a renaming, never takes the place of a file that another process just made.
    guard link(temporary, path) == 0 else { throw failure("create", path) }
    unlink(temporary)
    try synchronizeDirectory(of: path)
  }

  /// Sees the directory's own entries on disk.
  static func synchronizeDirectory(of path: String) throws {
    let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let descriptor = Glibc.open(
      directory.isEmpty ? "/" : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open", directory) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("write", directory) }
  }

  static func failure(_ verb: String, _ path: String) -> StoreError {
    let code = errno
    let reason = String(cString: strerror(code))
    let kind: StoreError.Kind =
      switch code {
      case EACCES, EPERM: .permission
      case ENOENT: .unusable
      default: .inputOutput
      }
    return StoreError(kind, "Cannot \(verb) \(path): \(reason).")
  }
}
