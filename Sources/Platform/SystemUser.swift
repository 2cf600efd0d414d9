public import Glibc

/// A user that the system knows.
public struct SystemUser {
  /// The user's name.
  public let name: String
  /// The number of the user's main group.
  public let group: gid_t

  /// Looks the user up.
  ///
  /// It is nil where the system has no such user, or calls it by a name that is not UTF-8, so that it goes
  /// by its number.
  public init?(id: uid_t) {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16_384)
    guard getpwuid_r(id, &entry, &buffer, buffer.count, &found) == 0, found != nil,
      let bytes = entry.pw_name, let name = String(validatingCString: bytes)
    else { return nil }
    self.name = name
    group = entry.pw_gid
  }

  /// What a user is called: its name, or `uid` with its number.
  public static func name(of user: uid_t) -> String { SystemUser(id: user)?.name ?? "uid \(user)" }
}
