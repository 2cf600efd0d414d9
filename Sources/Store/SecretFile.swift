internal import Platform
internal import Glibc

/// Files that only their owner may read.
enum SecretFile {
  private static let largest = 65_536
  /// Between a file's name and the number of the process that is about to write it.
  private static let temporaryMark = ".new."

  /// Reads a whole file after checking who else could.
  ///
  /// Root reads it on behalf of the data directory's owner, who must not have root read another's file:
  /// a link is followed where root made it, or where it leads to a file of the same user.
  ///
  /// - Parameters:
  ///   - path: the file, of mode 0600 or tighter.
  ///   - isCredential: whether 0440 will do as well, which is how systemd hands out credentials.
  /// - Returns: its text.
  /// - Throws: `StoreError`.
  static func read(_ path: String, isCredential: Bool) throws -> String {
    var named = stat()
    // Not waiting: a pipe that nobody writes to would never open.
    let descriptor =
      lstat(path, &named) == 0
      ? Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1
    guard descriptor >= 0 else { throw failure("read", path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure("read", path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw StoreError(.permission, "\(path) is no plain file.")
    }
    if named.st_mode & S_IFMT == S_IFLNK, named.st_uid != 0, named.st_uid != status.st_uid {
      throw StoreError(
        .permission,
        "\(path) is a symbolic link of uid \(named.st_uid) to a file of uid \(status.st_uid), and is not "
          + "followed.")
    }
    let allowedModes: [mode_t] = isCredential ? [0o600, 0o440] : [0o600]
    guard allowedModes.contains(where: { status.st_mode & 0o7777 & ~$0 == 0 }) else {
      let mode = String(status.st_mode & 0o7777, radix: 8)
      throw StoreError(
        .permission,
        "\(path) has mode 0\(mode), so that others could read it. Run: chmod 0600 \(path)")
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
    let temporary = temporary(of: path)
    defer { temporary.remove() }
    try write(text, to: temporary.path)
    // A link, unlike a renaming, never takes the place of a file that another process just made.
    guard link(temporary.path, path) == 0 else { throw failure("create", path) }
    try synchronizeDirectory(of: path)
  }

  /// Writes a new file, which nobody but its owner can use, and sees it on disk.
  private static func write(_ text: String, to path: String, mode: mode_t = 0o600) throws {
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode & 0o600)
    guard descriptor >= 0 else { throw failure("create", path) }
    defer { close(descriptor) }
    try write(Array(text.utf8), to: descriptor, of: path)
    guard fsync(descriptor) == 0 else { throw failure("write", path) }
  }

  /// Writes all bytes to an open file, whose path is for the error.
  static func write(_ bytes: [UInt8], to descriptor: Int32, of path: String) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 && errno == EINTR { continue }
      guard written > 0 else { throw failure("write", path) }
      rest = rest.dropFirst(written)
    }
  }

  /// Puts another text into the place of a file's, whole or not at all, and sees it on disk.
  ///
  /// Its owner and mode stay, and so does a link: what it leads to is replaced.
  static func replace(_ path: String, text: String) throws {
    let target = try resolved(path)
    var status = stat()
    guard stat(target, &status) == 0 else { throw failure("replace", target) }
    let temporary = temporary(of: target)
    defer { temporary.remove() }
    try write(text, to: temporary.path, mode: status.st_mode)
    // Only root gets here with another's file. The group has no part in it.
    guard status.st_uid == geteuid() || chown(temporary.path, status.st_uid, gid_t.max) == 0,
      rename(temporary.path, target) == 0
    else { throw failure("replace", target) }
    try synchronizeDirectory(of: target)
  }

  /// Where the file is that a path leads to, through any links.
  private static func resolved(_ path: String) throws -> String {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw failure("find", path) }
    // What is no link is where its path says, whatever the directories above it are called.
    guard status.st_mode & S_IFMT == S_IFLNK else { return path }
    guard let target = realpath(path, nil) else { throw failure("find", path) }
    defer { free(target) }
    guard let text = String(validatingCString: target) else {
      throw StoreError(
        .unusable,
        "\(path) is a link to a file whose path is not UTF-8. Give that one another name.")
    }
    return text
  }

  /// Where a file is written before it has its name.
  private static func temporary(of path: String) -> TemporaryFile {
    let file = TemporaryFile(path + temporaryMark + "\(getpid())")
    // Of an earlier process of the same number.
    unlink(file.path)
    return file
  }

  /// Removes what processes that are no more left behind of a file that they were about to write.
  static func removeLeftovers(of path: String) throws {
    let target = try resolved(path)
    let (parent, start) = (
      FilePath.directory(of: target), FilePath.name(of: target) + temporaryMark
    )
    for leftover in FilePath.names(in: parent)
    where leftover.utf8.starts(with: start.utf8) && isLeftover(leftover) {
      unlink(parent + "/" + leftover)
    }
  }

  /// Whether a name ends in the number of a process that is no more.
  static func isLeftover(_ name: String) -> Bool {
    let end = name.split(separator: ".", omittingEmptySubsequences: false).last
    guard let process = end.flatMap({ pid_t($0) }), process > 0 else { return false }
    return kill(process, 0) != 0 && errno == ESRCH
  }

  /// Sees the directory's own entries on disk.
  static func synchronizeDirectory(of path: String) throws {
    try synchronize(FilePath.directory(of: path))
  }

  /// Sees a file's contents on disk; not of a database that is open, whose locks would go.
  static func synchronize(_ path: String) throws {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open", path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("write", path) }
  }

  static func failure(_ verb: String, _ path: String) -> StoreError {
    let code = errno
    let reason = systemMessage(code)
    let kind: StoreError.Kind =
      switch code {
      case EACCES, EPERM: .permission
      case ENOENT: .unusable
      default: .inputOutput
      }
    return StoreError(kind, "Cannot \(verb) \(path): \(reason).")
  }
}
