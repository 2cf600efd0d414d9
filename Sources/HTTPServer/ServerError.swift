internal import Glibc

/// Why a server does not start.
public enum ServerError: Error, Hashable, CustomStringConvertible {
  /// Another program listens on the address.
  case addressInUse(Address)
  /// This user may not listen on the address.
  case permissionDenied(Address)
  /// The machine has no such address.
  case addressNotAvailable(Address)
  /// The system refused a call; the number is its `errno`.
  case system(Address, operation: String, number: Int32)
  /// The descriptor that was passed in is not a usable listening socket.
  case unusableSocket(descriptor: Int32, reason: String)
  /// The server was started before; make a new one.
  case startedBefore(Address)

  init(_ address: Address, operation: String, number: Int32) {
    switch number {
    case EADDRINUSE: self = .addressInUse(address)
    case EACCES, EPERM: self = .permissionDenied(address)
    case EADDRNOTAVAIL: self = .addressNotAvailable(address)
    default: self = .system(address, operation: operation, number: number)
    }
  }

  /// The error as a sentence, with what to do about it.
  public var description: String {
    switch self {
    case .addressInUse(let address):
      "Another program listens on \(address); stop it or choose another port."
    case .permissionDenied(let address):
      "This user may not listen on \(address); choose a port of 1024 or above, or give the program"
        + " CAP_NET_BIND_SERVICE."
    case .addressNotAvailable(let address):
      "This machine has no address \(address.host); choose one of its own, or 127.0.0.1."
    case .system(let address, let operation, let number):
      "Cannot listen on \(address): \(operation) failed: \(String(cString: strerror(number)))."
    case .unusableSocket(let descriptor, let reason):
      "The file descriptor \(descriptor) that was passed in is of no use: \(reason)."
    case .startedBefore(let address):
      "The server for \(address) was started before; make a new one."
    }
  }
}
