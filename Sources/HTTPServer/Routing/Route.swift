/// One line of a router's table: a method, a pattern and the closure that answers.
///
/// A pattern is a path whose segments are literal text, compared with the path as sent, or `{name}`,
/// which stands for one non-empty segment. Where a literal and a parameter both fit, the literal
/// wins.
public struct Route<Context>: Sendable {
  /// Answers a request, on the event loop's thread; `context` is this request's own.
  public typealias Answer = @Sendable (_ request: Request, _ context: Context) -> Response

  /// Answers a request, or promises an answer, on the event loop's thread; `context` is this request's own.
  public typealias Promising = @Sendable (_ request: Request, _ context: Context) -> Reply

  /// Refuses a request by its head, or returns nil to admit it.
  public typealias Admission = @Sendable (_ request: Request, _ context: Context) -> Response?

  /// The method.
  public let method: Method
  /// The pattern of the path.
  public let pattern: String
  /// The largest body that is kept, in bytes.
  ///
  /// A larger one is discarded and ``Request/bodyTooLarge`` set. A route with the limit 0 answers before the body
  /// arrives.
  public let bodyLimit: Int
  /// Whether a `GET` route answers `HEAD`, too.
  public let allowsHead: Bool
  /// Refuses a request before any of its body is kept; see ``Handler/admit(_:)``.
  public let admission: Admission?
  let work: Work

  enum Work: Sendable {
    case answer(Answer)
    case promise(Promising)
  }

  /// Makes a line of the table whose answers come at once.
  ///
  /// - Parameters:
  ///   - method: The method; not `.other`.
  ///   - pattern: The pattern of the path, beginning with a slash.
  ///   - bodyLimit: The largest body that is kept, in bytes.
  ///   - allowsHead: Whether a `GET` route answers `HEAD`, too.
  ///   - admission: Refuses a request before any of its body is kept; nil admits all.
  ///   - answer: Answers a request.
  public init(
    _ method: Method, _ pattern: String, bodyLimit: Int = 0, allowsHead: Bool = true,
    admission: Admission? = nil, answer: @escaping Answer
  ) {
    self.init(method, pattern, bodyLimit, allowsHead, admission, .answer(answer))
  }

  /// Makes a line of the table whose answers may be promised.
  ///
  /// - Parameters:
  ///   - method: The method; not `.other`.
  ///   - pattern: The pattern of the path, beginning with a slash.
  ///   - bodyLimit: The largest body that is kept, in bytes.
  ///   - allowsHead: Whether a `GET` route answers `HEAD`, too.
  ///   - admission: Refuses a request before any of its body is kept; nil admits all.
  ///   - answer: Answers a request or promises an answer.
  /// - Returns: The line.
  public static func promising(
    _ method: Method, _ pattern: String, bodyLimit: Int = 0, allowsHead: Bool = true,
    admission: Admission? = nil, answer: @escaping Promising
  ) -> Route {
    Route(method, pattern, bodyLimit, allowsHead, admission, .promise(answer))
  }

  private init(
    _ method: Method, _ pattern: String, _ bodyLimit: Int, _ allowsHead: Bool,
    _ admission: Admission?, _ work: Work
  ) {
    self.method = method
    self.pattern = pattern
    self.bodyLimit = bodyLimit
    self.allowsHead = allowsHead
    self.admission = admission
    self.work = work
  }
}
