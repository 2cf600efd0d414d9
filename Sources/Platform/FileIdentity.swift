internal import Glibc

/// Which file stands at a path: two files that take turns under one name differ.
public struct FileIdentity: Hashable, Sendable {
  private let device: UInt
  private let number: UInt

  /// Looks at the path; nil where nothing is there.
  public init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt(status.st_dev)
    number = UInt(status.st_ino)
  }
}

/// The place of a file, the same by whichever path its directory is reached.
///
/// Names are compared by bytes, as the file system does: texts that look alike may name two files.
public struct FilePlace: Hashable, Sendable {
  private let directory: FileIdentity?
  private let name: [UInt8]

  /// Names the place of a path; the whole path is the name where its directory is not there.
  public init(_ path: String) {
    directory = FileIdentity(FilePath.directory(of: path))
    let isThere = directory != nil
    name = Array(isThere ? FilePath.name(of: path).utf8 : path[...].utf8)
  }
}
