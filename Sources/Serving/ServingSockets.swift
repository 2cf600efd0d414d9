import Configuration
import HTTPServer

/// The sockets that the service manager passed in, by what they are for.
public struct ServingSockets {
  private(set) var api: PassedSocket?
  private(set) var operations: PassedSocket?

  /// Those that were passed, by their names `api` and `operations`; others by their order.
  ///
  /// - Throws: `SetupError` or `ServerError` where one is of no use or there are too many.
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
