internal import Glibc

/// Which file stands at a path: another one under the same name is another database.
struct FileIdentity: Hashable {
  private let device: UInt
  private let number: UInt

  /// Looks at the path; nil where nothing is there.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt(status.st_dev)
    number = UInt(status.st_ino)
  }
}

/// Where a file is or was, by whichever path its directory is reached.
///
/// The file system tells names apart by their bytes, where texts that look alike are equal.
struct FilePlace: Hashable {
  private let directory: FileIdentity?
  private let name: [UInt8]

  /// Names the place of a path; where its directory is not there, the whole path does.
  init(_ path: String) {
    directory = FileIdentity(SecretFile.directory(of: path))
    let isThere = directory != nil
    name = Array(isThere ? SecretFile.name(of: path).utf8 : path[...].utf8)
  }
}

/// The log of a database and the index of it that processes share, both beside the database.
///
/// They stay what they are for as long as anyone has the database open.
struct LogIdentity: Equatable {
  private let log: FileIdentity?
  private let index: FileIdentity?

  /// Looks at the files beside the database at the path.
  init(of path: String) {
    log = FileIdentity(path + "-wal")
    index = FileIdentity(path + "-shm")
  }
}
