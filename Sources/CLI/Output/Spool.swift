import Glibc
import Platform

/// Output that is gathered in a file without a name and printed when it is complete.
///
/// Printing straight from the database would keep its log from shrinking as long as the reader of a pipe takes, and
/// would leave half an output when something fails midway.
final class Spool {
  private static let pieceSize = 1 << 16

  private let descriptor: Int32
  private var buffer: [UInt8] = []

  /// Makes the file in the directory for temporary files; throws `FileError`.
  init(environment: [String: String]) throws {
    let directory = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    var path = Array("\(directory)/launchlink-XXXXXX".utf8CString)
    descriptor = mkstemp(&path)
    guard descriptor >= 0 else {
      throw FileError("make a temporary file in", directory, errno: errno)
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(path)
  }

  deinit {
    close(descriptor)
  }

  /// Adds the bytes that `write` appends; throws `FileError`.
  func append(_ write: (inout [UInt8]) -> Void) throws {
    write(&buffer)
    if buffer.count >= Self.pieceSize { try flush() }
  }

  /// Prints everything on standard output; throws `FileError`.
  func print(on console: Console) throws {
    try flush()
    guard lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw FileError("read", "a temporary file", errno: errno)
    }
    var piece = [UInt8](repeating: 0, count: Self.pieceSize)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw FileError("read", "a temporary file", errno: errno)
      }
      if count == 0 { return }
      try console.write(Array(piece[..<count]))
    }
  }

  private func flush() throws {
    try writeAll(buffer, to: descriptor, name: "a temporary file")
    buffer.removeAll(keepingCapacity: true)
  }
}
