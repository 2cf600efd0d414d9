internal import Glibc

/// Files of the system that are read whole, such as those of proc(5).
public enum SmallFile {
  /// Reads a whole file.
  ///
  /// - Parameter path: the file.
  /// - Returns: its bytes; nil where it cannot be read.
  public static func read(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      guard count > 0 else { return bytes }
      bytes.append(contentsOf: buffer[..<count])
    }
  }
}
