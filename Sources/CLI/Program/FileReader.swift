import Glibc
import Platform

/// A file or a pipe that is read in pieces.
final class FileReader {
  /// The most bytes of a piece.
  private static let pieceSize = 1 << 16

  /// The file's size when it was opened, in bytes; 0 for a pipe.
  let size: Int
  private let path: String
  private let descriptor: Int32

  /// Opens a file or a pipe; throws `FileError`, also for a device, which may never end.
  convenience init(_ path: String) throws {
    try self.init(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), of: path)
  }

  /// Standard input by its open descriptor: after a change of user the process might not be able to open it.
  static func standardInput() throws -> FileReader {
    try FileReader(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0), of: "standard input")
  }

  private init(_ descriptor: Int32, of path: String) throws {
    self.path = path
    self.descriptor = descriptor
    guard descriptor >= 0 else { throw FileError("read", path, errno: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let number = errno
      close(descriptor)
      throw FileError("read", path, errno: number)
    }
    let kind = status.st_mode & S_IFMT
    let isDevice = kind == S_IFBLK || (kind == S_IFCHR && isatty(descriptor) == 0)
    guard !isDevice, kind != S_IFDIR else {
      close(descriptor)
      throw FileError("\(path) is no plain file and no pipe.")
    }
    size = Int(status.st_size)
  }

  deinit {
    close(descriptor)
  }

  /// Reads the next piece, empty at the end; throws `FileError`.
  func next() throws -> [UInt8] {
    while true {
      var failure: Int32 = 0
      let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, count in
        let result = read(descriptor, buffer.baseAddress, buffer.count)
        if result < 0 { failure = errno }
        count = max(0, result)
      }
      if failure == 0 { return piece }
      guard failure == EINTR else { throw FileError("read", path, errno: failure) }
    }
  }
}
