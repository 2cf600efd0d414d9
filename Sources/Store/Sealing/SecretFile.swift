internal import Glibc
internal import Platform

/// Files that only their owner may read.
package enum SecretFile {
  private static let largest = 65_536
  /// The mark between a file's name and the number of the process that writes it.
  private static let temporaryMark = ".new."

  /// Reads a whole file, if nobody else can.
  ///
  /// Root reads it for the data directory's owner, who must not be able to name another user's file. So a link is
  /// followed only where root made it or where it leads to a file of the link's owner.
  ///
  /// - Parameters:
  ///   - path: the file, of mode 0600 or tighter.
  ///   - isCredential: whether mode 0440 is accepted too, which systemd gives credentials.
  /// - Returns: its text.
  /// - Throws: `StoreError`.
  static func read(_ path: String, isCredential: Bool) throws -> String {
    var named = stat()
    // O_NONBLOCK, since a pipe that nobody writes to would never open.
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

  /// Makes a new file, whole or not at all, and waits until it is on disk.
  static func create(_ path: String, text: String) throws {
    let temporary = temporary(of: path)
    defer { temporary.remove() }
    try write(text, to: temporary.path)
    // A link, unlike a renaming, never takes the place of a file that another process just made.
    guard link(temporary.path, path) == 0 else { throw failure("create", path) }
    try synchronizeDirectory(of: path)
  }

  /// Writes a new file for its owner alone, and waits until it is on disk.
  private static func write(_ text: String, to path: String, mode: mode_t = 0o600) throws {
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode & 0o600)
    guard descriptor >= 0 else { throw failure("create", path) }
    defer { close(descriptor) }
    try write(Array(text.utf8), to: descriptor, of: path)
    guard fsync(descriptor) == 0 else { throw failure("write", path) }
  }

  /// Writes all bytes to an open file, whose path is for the error.
  package static func write(_ bytes: [UInt8], to descriptor: Int32, of path: String) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 && errno == EINTR { continue }
      guard written > 0 else { throw failure("write", path) }
      rest = rest.dropFirst(written)
    }
  }

  /// Replaces a file's text, whole or not at all, and waits until it is on disk.
  ///
  /// Owner and mode stay. A link stays too, and its target is replaced.
  static func replace(_ path: String, text: String) throws {
    let target = try resolved(path)
    var status = stat()
    guard stat(target, &status) == 0 else { throw failure("replace", target) }
    let temporary = temporary(of: target)
    defer { temporary.remove() }
    try write(text, to: temporary.path, mode: status.st_mode)
    // Only root gets here with another user's file. The group gets no access.
    guard status.st_uid == geteuid() || chown(temporary.path, status.st_uid, gid_t.max) == 0,
      rename(temporary.path, target) == 0
    else { throw failure("replace", target) }
    try synchronizeDirectory(of: target)
  }

  /// The path of the file that a path leads to through links.
  private static func resolved(_ path: String) throws -> String {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw failure("find", path) }
    // The path of no link need not be resolved, nor be UTF-8 in the directories above it.
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

  /// The temporary name of a file that is being written.
  private static func temporary(of path: String) -> TemporaryFile {
    let file = TemporaryFile(path + temporaryMark + "\(getpid())")
    // Left by an earlier process of the same number.
    unlink(file.path)
    return file
  }

  /// Removes the temporary files of processes that have ended.
  package static func removeLeftovers(of path: String) throws {
    let target = try resolved(path)
    let (parent, start) = (
      FilePath.directory(of: target), FilePath.name(of: target) + temporaryMark
    )
    for leftover in FilePath.names(in: parent)
    where leftover.utf8.starts(with: start.utf8) && isLeftover(leftover) {
      unlink(parent + "/" + leftover)
    }
  }

  /// Whether a name ends in the number of a process that has ended.
  package static func isLeftover(_ name: String) -> Bool {
    let end = name.split(separator: ".", omittingEmptySubsequences: false).last
    guard let process = end.flatMap({ pid_t($0) }), process > 0 else { return false }
    return kill(process, 0) != 0 && errno == ESRCH
  }

  /// Waits until the entries of a path's directory are on disk.
  package static func synchronizeDirectory(of path: String) throws {
    try synchronize(FilePath.directory(of: path))
  }

  /// Waits until a file's contents are on disk; not for an open database, whose locks would be released.
  package static func synchronize(_ path: String) throws {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open", path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("write", path) }
  }

  package static func failure(_ verb: String, _ path: String) -> StoreError {
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
