import Platform
import Glibc
import Store

extension Actor {
  /// The user who runs the process, by the system's list of users, and who became it by sudo.
  static func current(environment: [String: String]) -> Actor {
    let sudoUser = environment["SUDO_USER"].flatMap { $0.isEmpty ? nil : $0 }
    return Actor(osUser: SystemUser.name(of: getuid()), sudoUser: sudoUser)
  }
}
