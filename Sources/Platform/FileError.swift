internal import Glibc

/// A file or stream that cannot be read or written.
public struct FileError: Error, CustomStringConvertible {
  /// What is wrong and what to do.
  public let description: String
  /// Whether the file can be read and holds more than it may.
  public let isTooLong: Bool

  /// Makes an error of its message.
  public init(_ description: String) {
    self.init(description, isTooLong: false)
  }

  /// Makes an error of what the system says.
  ///
  /// - Parameters:
  ///   - action: what failed, such as `read`.
  ///   - name: the file or stream.
  ///   - number: the system's reason.
  public init(_ action: String, _ name: String, errno number: Int32) {
    self.init("Cannot \(action) \(name): \(systemMessage(number)).")
  }

  private init(_ description: String, isTooLong: Bool) {
    self.description = description
    self.isTooLong = isTooLong
  }

  static func tooLong(_ name: String, limit: Int) -> FileError {
    FileError("\(name) holds more than \(limit) bytes.", isTooLong: true)
  }
}

/// Reads a whole file.
///
/// - Parameters:
///   - path: the file; a link to it will do.
///   - limit: bytes that it may hold.
///   - isPlain: whether it has to be a plain file, so that no pipe or device keeps the reader waiting.
/// - Returns: its bytes.
/// - Throws: `FileError`.
public func readFile(
  _ path: String, limit: Int, isPlain: Bool = false
) throws(FileError) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (isPlain ? O_NONBLOCK : 0))
  guard descriptor >= 0 else { throw FileError("read", path, errno: errno) }
  defer { close(descriptor) }
  if isPlain {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw FileError("\(path) is no plain file.")
    }
  }
  return try readAll(of: descriptor, name: path, limit: limit)
}

/// Reads what is open to its end.
///
/// - Parameters:
///   - descriptor: the file or stream.
///   - name: what an error calls it.
///   - limit: bytes that it may hold.
/// - Returns: its bytes.
/// - Throws: `FileError`.
public func readAll(
  of descriptor: Int32, name: String, limit: Int
) throws(FileError) -> [UInt8] {
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = read(descriptor, &buffer, buffer.count)
    if count < 0 {
      if errno == EINTR { continue }
      throw FileError("read", name, errno: errno)
    }
    if count == 0 { return bytes }
    bytes.append(contentsOf: buffer[..<count])
    if bytes.count > limit { throw FileError.tooLong(name, limit: limit) }
  }
}

/// Writes all bytes to what is open.
///
/// - Parameters:
///   - bytes: what is written.
///   - descriptor: the file or stream.
///   - name: what an error calls it.
/// - Throws: `FileError`.
public func writeAll(
  _ bytes: [UInt8], to descriptor: Int32, name: String
) throws(FileError) {
  var start = 0
  while start < bytes.count {
    let count = bytes[start...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0 {
      if errno == EINTR { continue }
      throw FileError("write", name, errno: errno)
    }
    start += count
  }
}
