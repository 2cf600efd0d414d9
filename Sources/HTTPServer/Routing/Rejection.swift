/// Why the server or the router answers a request itself instead of giving it to a route.
public enum Rejection: Sendable, Hashable {
  /// The head is not well-formed HTTP/1.1; 400, and the connection is closed. The reason is a sentence that the
  /// client may see.
  case malformedRequest(reason: String)
  /// The head is larger than the server's limit, in bytes, or leaves no room for the head of the
  /// answer; 431, and the connection is closed.
  case headersTooLarge(limit: Int)
  /// No route has this path; 404.
  case notFound
  /// The path has routes, but none for this method; 405. `allow` is the value for `Allow`, which is added to the
  /// answer if missing.
  case methodNotAllowed(allow: String)
  /// An answer has a header that is not valid and cannot be sent; 500.
  case internalFault
  /// The bodies of all requests together have reached the server's limit; 503.
  case outOfBodyMemory
  /// The request waited for longer than the server allows; 503.
  case overloaded

  /// The status code of the answer.
  public var status: Int {
    switch self {
    case .malformedRequest: 400
    case .headersTooLarge: 431
    case .notFound: 404
    case .methodNotAllowed: 405
    case .internalFault: 500
    case .outOfBodyMemory, .overloaded: 503
    }
  }
}
