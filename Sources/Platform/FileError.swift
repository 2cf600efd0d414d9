internal import Glibc

/// A file or stream that cannot be read or written.
public struct FileError: Error, CustomStringConvertible {
  /// What is wrong and what to do.
  public let description: String
  /// Whether the file is readable and longer than allowed.
  public let isTooLong: Bool

  /// Makes an error from its message.
  public init(_ description: String) {
    self.init(description, isTooLong: false)
  }

  /// Makes an error from the system's error number.
  ///
  /// - Parameters:
  ///   - action: the failed action, such as `read`.
  ///   - name: the file or stream.
  ///   - number: an `errno`.
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
///   - limit: the longest allowed length, in bytes.
///   - isPlain: whether only a plain file is read; a pipe or a device could keep the reader waiting.
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

/// Reads an open file or stream to its end.
///
/// - Parameters:
///   - descriptor: the open file or stream.
///   - name: its name in an error.
///   - limit: the longest allowed length, in bytes.
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

/// Writes all bytes to an open file or stream.
///
/// - Parameters:
///   - bytes: the bytes.
///   - descriptor: the open file or stream.
///   - name: its name in an error.
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
