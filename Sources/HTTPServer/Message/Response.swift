/// An answer to a request.
public struct Response: Sendable {
  /// The status code, 200 to 599 (RFC 9110 section 15).
  public var status: Int

  /// The headers in the order in which they are sent.
  ///
  /// The server adds `Date`, `Content-Length`, `Connection` and `X-Request-Id` itself. A name must
  /// be a token and a value must be non-empty and free of line breaks; an answer that breaks this
  /// is replaced by the one for ``Rejection/internalFault``.
  public var headers: [(name: String, value: String)]

  /// The body.
  ///
  /// An answer to `HEAD` keeps its length and leaves it out.
  public var body: [UInt8]

  /// Whether the connection is closed after this answer.
  public var closesConnection: Bool

  /// Makes an answer.
  ///
  /// - Parameters:
  ///   - status: The status code, 200 to 599.
  ///   - headers: The headers in the order in which they are sent.
  ///   - body: The body.
  ///   - closesConnection: Whether the connection is closed after this answer.
  public init(
    status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
    closesConnection: Bool = false
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.closesConnection = closesConnection
  }

  /// The value of the first header of this name, in any case.
  ///
  /// - Parameter name: The header's name.
  /// - Returns: The value, or nil when there is no such header.
  public func header(_ name: String) -> String? {
    headers.first { equalIgnoringCase($0.name.utf8, name.utf8) }?.value
  }
}

/// Compares the names of headers, ignoring ASCII case.
func equalIgnoringCase(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
  left.count == right.count
    && zip(left, right).allSatisfy { lowercased($0) == lowercased($1) }
}

private func lowercased(_ byte: UInt8) -> UInt8 {
  (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}
