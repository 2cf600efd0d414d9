internal import Domain
internal import JSON

extension LaunchRequest {
  /// Reads a plain request, as nearly all are; nil for any other.
  ///
  /// A plain request has known fields only, each once, as plain strings and a whole number. `MemberReader` reads
  /// any other, valid or not.
  ///
  /// A launch of 100 bytes takes 1,500 instructions instead of 12,000.
  init?(plain bytes: UnsafeRawBufferPointer) {
    self.init()
    let isPlain = JSON.readPlainObject(bytes) { name, value in
      switch value {
      case .string(let text): put(text, in: name)
      case .integer(let number): put(number, in: name)
      }
    }
    guard isPlain else { return nil }
  }

  private mutating func put(_ text: UnsafeRawBufferPointer, in name: UnsafeRawBufferPointer) -> Bool
  {
    switch name.count {
    case 4 where isName("page", name): Self.put(text, in: &page)
    case 7 where isName("user_id", name): Self.put(text, in: &userID)
    case 8 where isName("platform", name): Self.put(text, in: &platform)
    case 8 where isName("category", name): Self.put(text, in: &category)
    case 11 where isName("business_id", name): Self.put(text, in: &businessID)
    case 11 where isName("redirect_to", name): Self.put(text, in: &redirectTo)
    default: false
    }
  }

  private mutating func put(_ number: Int64, in name: UnsafeRawBufferPointer) -> Bool {
    guard isName("ttl_seconds", name), ttlSeconds == nil else { return false }
    ttlSeconds = number
    return true
  }

  private static func put(_ text: UnsafeRawBufferPointer, in field: inout String?) -> Bool {
    guard field == nil else { return false }
    field = String(decoding: text, as: UTF8.self)
    return true
  }
}
