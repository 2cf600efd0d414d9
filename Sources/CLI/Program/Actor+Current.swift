import Glibc
import Platform
import Store

extension Actor {
  /// The user of the process, and the user who called sudo, if any.
  static func current(environment: [String: String]) -> Actor {
    let sudoUser = environment["SUDO_USER"].flatMap { $0.isEmpty ? nil : $0 }
    return Actor(osUser: SystemUser.name(of: getuid()), sudoUser: sudoUser)
  }
}
