import Platform
import Glibc

/// A file that an argument names.
enum NamedPath {
  /// The path as it was named; what is empty names nothing, such as a variable of a script that is not set.
  ///
  /// - Throws: `CommandFailure` with 64.
  static func checked(_ path: String) throws -> String {
    guard !path.isEmpty else {
      throw CommandFailure(.usage, "FILE is empty: name a file, or - for the standard stream.")
    }
    return path
  }

  /// A path that means the same from any working directory.
  ///
  /// - Throws: `CommandFailure` with 64 where it is empty, or the working directory has no name in UTF-8: such
  ///   a path would be kept as one that nobody typed.
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
    // By bytes: a mark behind the slash would make one character with it.
    let steps = path.utf8.split(separator: UInt8(ascii: "/")).map(Substring.init)
      .filter { $0 != "." }
    return ([directory == "/" ? "" : directory[...]] + steps).joined(separator: "/")
  }
}
