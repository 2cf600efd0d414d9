import Glibc

/// The owner and the mode of a file.
struct FileFacts {
  let owner: uid_t
  let mode: mode_t

  /// Looks at the path; nil when nothing is there or the user may not look.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    owner = status.st_uid
    mode = status.st_mode & 0o7777
  }

  var octal: String { "0" + String(mode, radix: 8) }
}
