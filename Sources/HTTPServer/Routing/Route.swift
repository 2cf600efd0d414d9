/// One line of a router's table: a method, a pattern and what answers it.
///
/// A pattern is a path whose segments are literal text, compared with the path as sent, or `{name}`,
/// which stands for one non-empty segment. Where a literal and a parameter both fit, the literal
/// wins.
public struct Route<Context>: Sendable {
  /// What answers a request, on the event loop's thread; `context` is this request's own.
  public typealias Answer = @Sendable (_ request: Request, _ context: Context) -> Response

  /// What refuses a request by its head, or admits it by giving nil.
  public typealias Admission = @Sendable (_ request: Request, _ context: Context) -> Response?

  /// The method.
  public let method: Method
  /// The pattern of the path.
  public let pattern: String
  /// The largest body that is kept, in bytes.
  ///
  /// A larger one is discarded and ``Request/bodyTooLarge`` set. A route that keeps none answers at the
  /// head of a request.
  public let bodyLimit: Int
  /// Whether a `GET` route answers `HEAD`, too.
  public let allowsHead: Bool
  /// What refuses a request whose body is still to come, before any of that is kept; see
  /// ``Handler/admit(_:)``.
  public let admission: Admission?
  /// What answers a request.
  public let answer: Answer

  /// Makes a line of the table.
  ///
  /// - Parameters:
  ///   - method: The method; not `.other`.
  ///   - pattern: The pattern of the path, beginning with a slash.
  ///   - bodyLimit: The largest body that is kept, in bytes.
  ///   - allowsHead: Whether a `GET` route answers `HEAD`, too.
  ///   - admission: What refuses a request whose body is still to come; nil admits all.
  ///   - answer: What answers a request.
  public init(
    _ method: Method, _ pattern: String, bodyLimit: Int = 0, allowsHead: Bool = true,
    admission: Admission? = nil, answer: @escaping Answer
  ) {
    self.method = method
    self.pattern = pattern
    self.bodyLimit = bodyLimit
    self.allowsHead = allowsHead
    self.admission = admission
    self.answer = answer
  }
}
