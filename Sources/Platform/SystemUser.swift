public import Glibc

/// A user that the system knows.
public struct SystemUser {
  /// The user's name.
  public let name: String
  /// The number of the user's main group.
  public let group: gid_t

  /// Looks up a user by its number.
  ///
  /// - Returns: nil when the system has no such user, or its name is not UTF-8.
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

  /// The user's name, or `uid` and its number when it has none.
  public static func name(of user: uid_t) -> String { SystemUser(id: user)?.name ?? "uid \(user)" }
}
