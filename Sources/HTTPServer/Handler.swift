/// What answers the requests of one worker thread.
///
/// A handler is made on the thread that uses it and is never used from another one, so it may hold
/// what is not sendable, without a lock. ``Router/handler(context:)`` makes one from a table of
/// routes; another one can wrap that to see each request and its answer.
public protocol Handler: AnyObject {
  /// Looks at a request whose head has arrived and whose body has not.
  ///
  /// - Parameter request: The request; its body is empty yet.
  /// - Returns: The largest body that is kept for ``respond(to:)``, in bytes.
  func prepare(_ request: Request) -> Int

  /// Refuses a request whose body is not there yet, before any of that is kept.
  ///
  /// It is asked only where the body has to be waited for; ``respond(to:)`` has to refuse the same by
  /// itself, since much may have changed when the body is there.
  ///
  /// - Parameter request: The request; its body is empty yet.
  /// - Returns: The refusal, or nil where the body may be kept.
  func admit(_ request: Request) -> Response?

  /// Answers a request.
  ///
  /// - Parameter request: The request, valid only during this call.
  /// - Returns: The answer.
  func respond(to request: Request) -> Response

  /// Writes the answer for a request that no route answers.
  ///
  /// - Parameters:
  ///   - request: The request, valid only during this call. Where its head is malformed, so may be
  ///     what it says of itself.
  ///   - problem: What is wrong.
  /// - Returns: The answer.
  func refuse(_ request: Request, for problem: Problem) -> Response
}
