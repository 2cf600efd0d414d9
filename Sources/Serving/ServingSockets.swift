import Configuration
import HTTPServer

/// The sockets that the service manager passed in, by their listeners.
public struct ServingSockets {
  private(set) var api: PassedSocket?
  private(set) var operations: PassedSocket?

  /// Assigns sockets by their names `api` and `operations`, and those of other names by their order.
  ///
  /// - Throws: `ServerError` when a socket cannot be used, `SetupError` when a listener would have two.
  public init(_ passed: [ServiceManager.Socket]) throws {
    let named = ["api", "operations"]
    for socket in passed where named.contains(socket.name) { try take(socket, as: socket.name) }
    for socket in passed where !named.contains(socket.name) {
      try take(socket, as: api == nil ? "api" : "operations")
    }
  }

  private mutating func take(_ socket: ServiceManager.Socket, as name: String) throws {
    guard (name == "api" ? api : operations) == nil else {
      throw SetupError(
        .configuration,
        "Two sockets were passed in for \(name); one is all it takes. A socket unit names its sockets "
          + "by FileDescriptorName=api and FileDescriptorName=operations.")
    }
    let passed = try PassedSocket(descriptor: socket.descriptor)
    if name == "api" { api = passed } else { operations = passed }
  }
}
