/// Answers the requests of one event loop.
///
/// A handler is made on the loop's thread and used on no other, so it may hold values that are not sendable,
/// without a lock. ``Router/handler(makeContext:finish:)`` makes one from a table of routes.
public protocol Handler: AnyObject {
  /// Looks at a request whose head has arrived and whose body has not.
  ///
  /// - Parameter request: The request; its body is still empty.
  /// - Returns: The largest body that is kept for ``respond(to:)``, in bytes.
  func prepare(_ request: Request) -> Int

  /// Refuses a request whose body has not arrived, before any of the body is kept.
  ///
  /// The server asks only if it has to wait for the body. ``respond(to:)`` checks the same again, since a key may
  /// be revoked while the body arrives.
  ///
  /// - Parameter request: The request; its body is still empty.
  /// - Returns: The refusal, or nil if the body may be kept.
  func admit(_ request: Request) -> Response?

  /// Answers a request.
  ///
  /// - Parameter request: The request, valid only during this call; where an answer is promised, until it is made.
  /// - Returns: The answer, or the promise of one.
  func respond(to request: Request) -> Reply

  /// Writes the answer to a request that the server rejects itself.
  ///
  /// - Parameters:
  ///   - request: The request, valid only during this call. If its head is malformed, its properties may be, too.
  ///   - rejection: Why it is rejected.
  /// - Returns: The answer.
  func reject(_ request: Request, for rejection: Rejection) -> Response
}

extension Handler {
  /// Answers a request made from plain values, as the server does once the body has arrived.
  ///
  /// It waits for a promised answer, and blocks the calling thread meanwhile.
  ///
  /// - Parameter request: The request.
  /// - Returns: The answer. One to `HEAD` still has its body, which the server leaves out.
  public func answer(_ request: Request) -> Response {
    request.bodyTooLarge = request.body.count > prepare(request)
    request.hasUnseenBody = request.bodyTooLarge
    if request.bodyTooLarge { request.body = [] }
    switch respond(to: request) {
    case .now(let response): return response
    case .later(let promise): return promise.waitForAnswer()
    }
  }
}
