internal import Domain
internal import Encoding
internal import HTTPServer

extension Problem {
  init(_ rejection: Rejection) {
    switch rejection {
    case .malformedRequest(let reason):
      self.init(.invalidRequest, reason)
    case .headersTooLarge(let limit):
      self.init(
        .headersTooLarge,
        "The request's head is over \(limit) bytes, or has too many headers and cookies. Send fewer or "
          + "shorter ones.")
    case .notFound:
      self.init(.notFound, "There is nothing at this path. GET /openapi.yaml lists what there is.")
    case .methodNotAllowed(let allow):
      self.init(.methodNotAllowed, "This path does not take that method. It takes: \(allow).")
    case .internalFault:
      self = .internal
    case .outOfBodyMemory:
      self.init(
        .unavailable,
        "The server holds as many bodies of requests as it may. Try again in a moment.")
    case .overloaded:
      self.init(
        .unavailable, "There are more requests than the server can answer. Try again in a moment.")
    }
  }

  static let unavailable = Problem(
    .unavailable, "The server cannot answer now. Try again in a moment.")
  static let uncertain = Problem(
    .unavailable,
    "The server could not make sure in time that this is done; it may be done all the same. Try again in a moment."
  )
  static let `internal` = Problem(
    .internal, "Something went wrong here. Try again; tell the operator the request id if it stays."
  )
}
