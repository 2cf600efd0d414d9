internal import CMicroHTTPD

/// A request, valid until its answer is made.
///
/// The server reuses one object for all requests of a connection: copy what is to be kept. Values that are never
/// asked for cost nothing.
public final class Request {
  /// Where the headers are.
  enum Fields {
    case received(OpaquePointer)
    case plain([(name: String, value: String)])
  }

  /// The method.
  public internal(set) var method: Method

  /// The body; empty if it is larger than the route's limit.
  public internal(set) var body: [UInt8]

  /// Whether the body, with its chunked framing beyond the first KiB, is larger than the route's limit; ``body`` is
  /// empty then.
  public internal(set) var bodyTooLarge = false

  /// Whether the request has a body that ``body`` does not hold: it is still to arrive, or was discarded.
  public internal(set) var hasUnseenBody = false

  /// The target as sent, and the size of its path in bytes.
  var target: [UInt8]
  var pathSize: Int

  var fields: Fields
  var identifier: [UInt8]
  /// Whether the request id is the caller's and not the server's own.
  public internal(set) var isIDOfCaller = true
  var match: RouteMatch?

  /// Makes a request from plain values, to test a router or a handler without a socket.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - target: The path as it would be sent, with its query.
  ///   - headers: The headers.
  ///   - body: The whole body; a router empties one over the route's limit.
  ///   - id: The request id.
  public init(
    _ method: Method, _ target: String, headers: [(name: String, value: String)] = [],
    body: [UInt8] = [], id: String = "test"
  ) {
    self.method = method
    self.body = body
    self.target = Array(target.utf8)
    pathSize = Request.pathSize(of: self.target)
    fields = .plain(headers)
    identifier = Array(id.utf8)
  }

  static func pathSize(of target: [UInt8]) -> Int {
    target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
  }

  /// The request id, which every answer carries.
  ///
  /// It is the caller's `X-Request-Id` if that is 1 to 128 visible ASCII characters, else a new one that is unique
  /// across restarts.
  public var id: String { String(decoding: identifier, as: UTF8.self) }

  /// Gives the bytes of the request id without copying them.
  ///
  /// - Parameter use: Called with the bytes, which are valid only during the call.
  /// - Returns: What `use` returns.
  /// - Throws: What `use` throws.
  public func withID<Result>(
    _ use: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try identifier.withUnsafeBytes(use)
  }

  /// The path as sent, still percent-encoded.
  public var path: String { String(decoding: target[..<pathSize], as: UTF8.self) }

  /// The query as sent, without its `?`; nil when there is no `?`.
  public var query: String? {
    guard pathSize < target.count else { return nil }
    return String(decoding: target[(pathSize + 1)...], as: UTF8.self)
  }

  /// The pattern of the route that answers the request, such as `/businesses/{id}`, if there is one.
  ///
  /// Logs and metrics may name it: it holds nothing that the client sent.
  public var routePattern: String? { match?.pattern.text }

  /// The index in ``Router/lines`` of the route that answers the request, if there is one.
  public var routeIndex: Int? { match?.index }

  /// A parameter of the route's pattern.
  ///
  /// - Parameter name: The name that stands in braces in the pattern.
  /// - Returns: The segment of the path, percent-decoded, or nil when the pattern has no such name.
  public func parameter(_ name: StaticString) -> String? {
    guard let match, let position = match.pattern.names.firstIndex(where: { $0.equals(name) })
    else {
      return nil
    }
    return parameters[position]
  }

  /// The parameters of the route's pattern, percent-decoded, in the order of the pattern.
  public var parameters: [String] {
    guard let match else { return [] }
    return match.places.map { place in
      target.withUnsafeBytes { decodePercentEscapes($0[place]) ?? "" }
    }
  }

  /// Gives the body's bytes without copying them.
  ///
  /// - Parameter use: Called with the bytes, which are valid only during the call.
  /// - Returns: What `use` returns.
  /// - Throws: What `use` throws.
  public func withBody<Result>(
    _ use: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try body.withUnsafeBytes(use)
  }

  /// Gives the bytes of the path as sent without copying them.
  ///
  /// - Parameter use: Called with the bytes, which are valid only during the call.
  /// - Returns: What `use` returns.
  /// - Throws: What `use` throws.
  public func withPath<Result>(
    _ use: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try target.withUnsafeBytes { try use(UnsafeRawBufferPointer(rebasing: $0[..<pathSize])) }
  }
}

extension String {
  func equals(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { $0.elementsEqual(utf8) }
  }
}
