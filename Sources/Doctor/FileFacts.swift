import Glibc

/// What the system says of a file.
struct FileFacts {
  let owner: uid_t
  let mode: mode_t

  /// Looks at the path; nil where nothing is there or it cannot be seen.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    owner = status.st_uid
    mode = status.st_mode & 0o7777
  }

  var octal: String { "0" + String(mode, radix: 8) }

  /// The names in a directory, sorted; none where it cannot be read.
  ///
  /// A name that is not UTF-8 is left out: no file of ours has one.
  static func names(in path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
      }
      if let name { names.append(name) }
    }
    return names.sorted()
  }
}
