internal import Domain
internal import JSON

/// A plain body of `POST /verify`, as nearly all are, read where it lies.
///
/// A plain body has known members only, and the bundle as LaunchLink writes it. `MemberReader` reads any other, valid
/// or not.
struct PlainVerification: ~Copyable {
  private(set) var bundle = PlainBundle()
  private(set) var consumes = false

  /// Reads a body; nil for one that is not plain.
  ///
  /// - Parameter bytes: the body, which has to stay as it is while the request is used.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard JSON.readNestedObject(bytes, { take($0) }) else { return nil }
  }

  private mutating func take(_ member: JSON.NestedMember) -> Bool {
    switch (member.object, member.value) {
    case (.some, .string(let text, let hasMarks)):
      bundle.take(member.name, text, hasMarks ? .json : .plain)
      return true
    case (nil, .object):
      return isName("headers", member.name)
    case (nil, .bool(let value)):
      consumes = value
      return isName("consume", member.name)
    case (nil, .string(let text, hasMarks: false)):
      if isName("url", member.name) {
        bundle.take(url: text)
      } else if isName("method", member.name) {
        bundle.take(method: text)
      } else {
        return false
      }
      return true
    default:
      return false
    }
  }
}
