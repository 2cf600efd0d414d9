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
}
