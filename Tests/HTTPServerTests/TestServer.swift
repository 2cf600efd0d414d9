import HTTPServer
import Testing

/// What belongs to one request.
final class TestContext {
  var requests = 0
}

/// The rejections as plain text, so that tests can tell them apart.
let rejectText: Router<TestContext>.Reject = { rejection, _, _ in
  let text =
    switch rejection {
    case .malformedRequest(let reason): "malformed: \(reason)"
    case .headersTooLarge(let limit): "headers over \(limit)"
    case .notFound: "not found"
    case .methodNotAllowed: "method not allowed"
    case .internalFault: "internal"
    case .outOfBodyMemory: "out of memory for bodies"
    case .overloaded: "overloaded"
    }
  return Response(status: rejection.status, body: Array(text.utf8))
}

func text(_ text: String, status: Int = 200) -> Response {
  Response(status: status, headers: [("Content-Type", "text/plain")], body: Array(text.utf8))
}

/// Starts a server on a free port, gives its port, and stops it.
func withServer<Result>(
  _ routes: [Route<TestContext>], configure: (inout Server.Configuration) throws -> Void = { _ in },
  _ use: (UInt16) throws -> Result
) throws -> Result {
  var configuration = Server.Configuration(address: try Address(parsing: "127.0.0.1:0"))
  try configure(&configuration)
  let server = Server(
    configuration: configuration, router: Router(routes, reject: rejectText),
    makeContext: { TestContext() })
  try server.start()
  defer { #expect(server.stop(deadline: .seconds(10)).isClean) }
  return try use(try #require(server.boundPort))
}
