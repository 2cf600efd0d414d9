import Platform
import Glibc
import Store

extension Actor {
  /// The user who runs the process, by the system's list of users, and who became it by sudo.
  static func current(environment: [String: String]) -> Actor {
    let sudoUser = environment["SUDO_USER"].flatMap { $0.isEmpty ? nil : $0 }
    return Actor(osUser: SystemUser(id: getuid())?.name ?? "uid \(getuid())", sudoUser: sudoUser)
  }
}

/// A user that the system knows.
struct SystemUser {
  let name: String
  let group: gid_t

  /// Looks the user up; nil where the system has no such user, or calls it by a name that is not
  /// UTF-8, so that it goes by its number.
  init?(id: uid_t) {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16_384)
    guard getpwuid_r(id, &entry, &buffer, buffer.count, &found) == 0, found != nil,
      let bytes = entry.pw_name, let name = String(validatingCString: bytes)
    else { return nil }
    self.name = name
    group = entry.pw_gid
  }
}

/// The user that a data directory belongs to.
struct DirectoryOwner {
  let user: uid_t
  let group: gid_t

  /// Looks at the directory itself.
  ///
  /// - Throws: `CommandFailure` where it is missing or no directory.
  init(of path: String) throws {
    var information = stat()
    guard stat(path, &information) == 0 else {
      let number = errno
      if number == ENOENT {
        throw CommandFailure(
          .configuration,
          "There is no data directory \(path). Run launchlink init, or name another with "
            + "--data-directory.")
      }
      throw CommandFailure(
        number == EACCES ? .permission : .inputOutput,
        "Cannot look at \(path): \(systemMessage(number)).")
    }
    guard information.st_mode & S_IFMT == S_IFDIR else {
      throw CommandFailure(.configuration, "\(path) is not a directory.")
    }
    user = information.st_uid
    group = information.st_gid
  }

  /// Refuses who is neither the owner nor root.
  ///
  /// SQLite makes files beside the database; those of another user would lock the server out.
  func admit(to path: String) throws {
    guard [user, 0].contains(geteuid()) else {
      let name = SystemUser(id: user)?.name ?? "uid \(user)"
      throw CommandFailure(
        .permission,
        "\(path) belongs to \(name): run the command as that user, or as root, which becomes it.")
    }
  }

  /// Becomes the owner for good where the process is root's.
  func assume(path: String) throws {
    if geteuid() == user { return }
    let (name, mainGroup) = SystemUser(id: user).map { ($0.name, $0.group) } ?? ("", group)
    var groups = [mainGroup]
    let hasGroups = name.isEmpty ? setgroups(1, &groups) : initgroups(name, mainGroup)
    guard hasGroups == 0, setgid(mainGroup) == 0, setuid(user) == 0 else {
      throw CommandFailure(
        .permission,
        "Cannot become the owner of \(path): \(systemMessage(errno)).")
    }
    guard getuid() == user, geteuid() == user, getgid() == mainGroup, setuid(0) != 0 else {
      throw CommandFailure(.permission, "Cannot become the owner of \(path) for good.")
    }
  }
}
