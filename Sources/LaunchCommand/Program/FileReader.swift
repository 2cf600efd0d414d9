import Glibc

/// A file that is read in pieces.
final class FileReader {
  /// Bytes of a piece at the most.
  private static let pieceSize = 1 << 16

  /// Bytes that the file holds as it is opened; 0 for a pipe.
  let size: Int
  private let path: String
  private let descriptor: Int32

  /// Opens a file; throws `FileError`.
  init(_ path: String) throws {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError("read", path, errno: errno) }
    var status = stat()
    size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  deinit {
    close(descriptor)
  }

  /// The next piece, empty at the end; throws `FileError`.
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
