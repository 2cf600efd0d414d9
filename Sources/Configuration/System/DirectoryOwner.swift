public import Glibc
import Platform

/// The user that a data directory belongs to.
public struct DirectoryOwner {
  /// The user's number.
  public let user: uid_t
  private let group: gid_t

  /// Looks up the directory's owner.
  ///
  /// - Throws: `SetupError` when the path is missing or not a directory.
  public init(of path: String) throws(SetupError) {
    var information = stat()
    guard stat(path, &information) == 0 else {
      let number = errno
      if number == ENOENT {
        throw SetupError(
          .configuration,
          "There is no data directory \(path). Run launchlink init, or name another with "
            + "--data-directory.")
      }
      throw SetupError(
        number == EACCES ? .permission : .inputOutput,
        "Cannot look at \(path): \(systemMessage(number)).")
    }
    guard information.st_mode & S_IFMT == S_IFDIR else {
      throw SetupError(.configuration, "\(path) is not a directory.")
    }
    user = information.st_uid
    group = information.st_gid
  }

  /// Refuses a user who is neither the owner nor root.
  ///
  /// SQLite makes files beside the database. The server could not open those of another user.
  ///
  /// - Throws: `SetupError`.
  public func admit(to path: String) throws(SetupError) {
    guard [user, 0].contains(geteuid()) else {
      throw SetupError(
        .permission,
        "\(path) belongs to \(SystemUser.name(of: user)): run the command as that user, or as root, which "
          + "becomes it.")
    }
  }

  /// Becomes the owner for good when the process runs as root.
  ///
  /// - Throws: `SetupError`.
  public func assume(path: String) throws(SetupError) {
    if geteuid() == user { return }
    let (name, mainGroup) = SystemUser(id: user).map { ($0.name, $0.group) } ?? ("", group)
    var groups = [mainGroup]
    let hasGroups = name.isEmpty ? setgroups(1, &groups) : initgroups(name, mainGroup)
    guard hasGroups == 0, setgid(mainGroup) == 0, setuid(user) == 0 else {
      throw SetupError(
        .permission,
        "Cannot become the owner of \(path): \(systemMessage(errno)).")
    }
    guard getuid() == user, geteuid() == user, getgid() == mainGroup, setuid(0) != 0 else {
      throw SetupError(.permission, "Cannot become the owner of \(path) for good.")
    }
  }
}
