import Glibc
import Platform

/// Paths that arguments name.
enum NamedPath {
  /// Refuses an empty path, such as that of a script's unset variable.
  ///
  /// - Throws: `CommandFailure` with 64.
  static func checked(_ path: String) throws -> String {
    guard !path.isEmpty else {
      throw CommandFailure(.usage, "FILE is empty: name a file, or - for the standard stream.")
    }
    return path
  }

  /// The absolute form of a path.
  ///
  /// - Throws: `CommandFailure` with 64 when the path is empty, or when the working directory's name is not UTF-8
  ///   and could not be stored unchanged.
  static func absolute(_ path: String) throws -> String {
    if try checked(path).utf8.first == UInt8(ascii: "/") { return path }
    guard let here = getcwd(nil, 0) else {
      throw CommandFailure(
        .usage,
        "The working directory cannot be told (\(systemMessage(errno))). Name \(path) from the "
          + "root on, or work in another directory.")
    }
    defer { free(here) }
    guard let directory = String(validatingCString: here), directory.utf8.first == UInt8(ascii: "/")
    else {
      throw CommandFailure(
        .usage,
        "The name of the working directory is not UTF-8, so no lasting record could name \(path). Name it "
          + "from the root on, through a link, or work in another directory.")
    }
    // By bytes: a combining mark behind the slash would make one character with it.
    let steps = path.utf8.split(separator: UInt8(ascii: "/")).map(Substring.init)
      .filter { $0 != "." }
    return ([directory == "/" ? "" : directory[...]] + steps).joined(separator: "/")
  }
}
