internal import Glibc

/// Which file stands at a path: another one under the same name is another database.
struct FileIdentity: Equatable {
  private let device: UInt
  private let number: UInt

  /// Looks at the path; nil where nothing is there.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt(status.st_dev)
    number = UInt(status.st_ino)
  }
}

/// Notices that the file of an open database was moved away or replaced.
///
/// It looks ten times a second at most: a look is a system call, and the question comes with every
/// request.
struct ReplacementWatch {
  private static let interval: UInt64 = 100_000_000

  private let path: String
  private let identity: FileIdentity?
  private var lookedAt: UInt64 = 0

  /// Watches the file that stands at the path now.
  init(_ path: String) {
    self.path = path
    identity = FileIdentity(path)
  }

  /// Whether the file is the same, as far as the last look tells.
  mutating func isInPlace() -> Bool {
    var time = timespec()
    // The coarse clock is read without a system call.
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    let now = UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    guard now >= lookedAt + Self.interval else { return true }
    lookedAt = now
    return identity != nil && FileIdentity(path) == identity
  }
}
