/// The request methods that the server tells apart (RFC 9110 section 9, RFC 5789).
public enum Method: UInt8, Sendable, Hashable, CaseIterable {
  /// `GET`
  case get
  /// `HEAD`
  case head
  /// `POST`
  case post
  /// `PUT`
  case put
  /// `PATCH`
  case patch
  /// `DELETE`
  case delete
  /// `OPTIONS`
  case options
  /// Any other method; no route can be built for it.
  case other

  /// The method's name as sent, or `?` for `other`.
  public var name: StaticString {
    switch self {
    case .get: "GET"
    case .head: "HEAD"
    case .post: "POST"
    case .put: "PUT"
    case .patch: "PATCH"
    case .delete: "DELETE"
    case .options: "OPTIONS"
    case .other: "?"
    }
  }

  /// Reads a method's name, which is case-sensitive.
  init(name: UnsafeRawBufferPointer) {
    let candidate: Method
    switch (name.count, name.first) {
    case (4, UInt8(ascii: "P")): candidate = .post
    case (3, UInt8(ascii: "G")): candidate = .get
    case (4, UInt8(ascii: "H")): candidate = .head
    case (3, UInt8(ascii: "P")): candidate = .put
    case (5, UInt8(ascii: "P")): candidate = .patch
    case (6, UInt8(ascii: "D")): candidate = .delete
    case (7, UInt8(ascii: "O")): candidate = .options
    default: candidate = .other
    }
    let matches = candidate.name.withUTF8Buffer { $0.elementsEqual(name) }
    self = matches ? candidate : .other
  }
}
