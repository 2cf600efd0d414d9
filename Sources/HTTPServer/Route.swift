/// One line of a router's table: a method, a pattern and what answers it.
///
/// A pattern is a path whose segments are literal text, compared with the path as sent, or `{name}`,
/// which stands for one non-empty segment. Where a literal and a parameter both fit, the literal
/// wins.
public struct Route<Context>: Sendable {
  /// What answers a request.
  ///
  /// It runs on the worker's thread, and `Context` is that worker's own.
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

/// Why a table of routes is refused.
public enum RouteError: Error, Hashable, CustomStringConvertible {
  /// A pattern is not a path of literal segments and `{name}`.
  case malformedPattern(String)
  /// A route is for `.other`, which no route can be built for.
  case unsupportedMethod(pattern: String)
  /// Two routes of one method match the same paths.
  case doubled(method: Method, pattern: String, other: String)
  /// Two routes of one method match some paths in common, and neither is the more specific one.
  case ambiguous(method: Method, pattern: String, other: String)

  /// The error as a sentence.
  public var description: String {
    switch self {
    case .malformedPattern(let pattern):
      "The pattern \(pattern) is not a path of literal segments and {name}."
    case .unsupportedMethod(let pattern):
      "The route for \(pattern) has a method that no route can have."
    case .doubled(let method, let pattern, let other):
      "\(method.name) \(pattern) can never be reached: \(other) matches the same paths."
    case .ambiguous(let method, let pattern, let other):
      "\(method.name) \(pattern) and \(other) match some paths in common; neither comes first."
    }
  }
}
