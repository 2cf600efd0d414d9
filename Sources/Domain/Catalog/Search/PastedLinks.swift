/// What a pasted text links to, however it is wrapped, escaped or percent-encoded.
struct PastedLinks {
  /// How many times a link may have been encoded.
  private static let mostEncodings = 4
  /// The most addresses that are kept, and the most places that are searched for one.
  private static let (mostAddresses, mostPlaces) = (3, 8)

  /// The ID that a launch URL, a deep link, `business_id=…` or the path of a business names.
  private(set) var businessID: String?
  /// The URLs and hosts in the text, also within the query of another; none where the text names an
  /// ID.
  private(set) var addresses: [WebAddress] = []

  init(_ text: String) {
    var bytes = Self.unescaped(SearchFolding.inUsualWidth(text).utf8)
    var places = 0
    for _ in 0...Self.mostEncodings {
      if let id = Self.businessID(in: bytes[...]) {
        businessID = id
        addresses = []
        return
      }
      if bytes.contains(UInt8(ascii: ".")) { appendAddresses(in: bytes, &places) }
      guard Self.isEncoded(bytes[...]) else { return }
      bytes = Self.unescaped(PercentEncoding.decoded(String(decoding: bytes, as: UTF8.self)))
    }
  }

  /// Lower-case letters, without the backslashes that JSON may have before `/`.
  private static func unescaped(_ text: some Sequence<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    for byte in text {
      if byte == UInt8(ascii: "/"), bytes.last == UInt8(ascii: "\\") { bytes.removeLast() }
      bytes.append((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte)
    }
    return bytes
  }

  /// Whether percent-encoding may hide a link: the text has a `/` or names a business.
  private static func isEncoded(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.contains(UInt8(ascii: "%"))
      && (bytes.end(of: "2f") != nil || bytes.end(of: "business") != nil)
  }

  // MARK: Ids

  private static func businessID(in bytes: ArraySlice<UInt8>) -> String? {
    if let id = wholeID(in: bytes) { return id }
    var rest = bytes
    while let end = rest.end(of: "business") {
      rest = rest[end...]
      let found = rest.starts(with: "es/".utf8) ? rest.dropFirst(3) : value(behind: rest)
      if let id = found.flatMap(leadingID) { return id }
    }
    return nil
  }

  /// What follows the rest of `business_id=`, `businessId: "`, `business_id => [` or `business-id
  /// `.
  private static func value(behind rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let tail = rest.drop { "_- ".utf8.contains($0) }
    guard tail.starts(with: "id".utf8) else { return nil }
    let value = tail.dropFirst(2).drop(while: isBetween)
    let between = tail[(tail.startIndex + 2)..<value.startIndex]
    // Blanks suffice where plain prose cannot be meant.
    let isOneWord = !rest[..<tail.startIndex].contains(UInt8(ascii: " "))
    return between.contains(where: isSign) || (isOneWord && !between.isEmpty) ? value : nil
  }

  /// The ID in a text that is `id=…` and nothing else.
  private static func wholeID(in bytes: ArraySlice<UInt8>) -> String? {
    let text = bytes.drop { isBetween($0) || "<?&".utf8.contains($0) }
    guard text.starts(with: "id".utf8) else { return nil }
    let value = text.dropFirst(2).drop(while: isBetween)
    guard text[(text.startIndex + 2)..<value.startIndex].contains(where: isSign) else { return nil }
    let rest = value.drop(while: isOfID)
    let isAll =
      rest.first == UInt8(ascii: "<") || rest.allSatisfy { "\"'}>)], \t;".utf8.contains($0) }
    return isAll ? leadingID(value) : nil
  }

  private static func leadingID(_ bytes: ArraySlice<UInt8>) -> String? {
    guard let id = String(validating: bytes.prefix(while: isOfID), as: UTF8.self), Business.isID(id)
    else { return nil }
    return id
  }

  private static func isSign(_ byte: UInt8) -> Bool { "=:>[({".utf8.contains(byte) }

  private static func isBetween(_ byte: UInt8) -> Bool {
    isSign(byte) || "\"'\\ \t\r\n".utf8.contains(byte)
  }

  private static func isOfID(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || isLetter(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }

  // MARK: Addresses

  private mutating func appendAddresses(in bytes: [UInt8], _ places: inout Int) {
    for token in bytes.split(whereSeparator: Self.isDelimiter)
    where token.contains(UInt8(ascii: ".")) {
      append(token, &places)
      // A URL after other text, or within the query of another one.
      var rest = token
      while places < Self.mostPlaces, let end = rest.end(of: "://") {
        let scheme = token[..<(end - 3)].suffix(while: Self.isLetter)
        if scheme.startIndex > token.startIndex {
          append(token[scheme.startIndex...].prefix { $0 != UInt8(ascii: "&") }, &places)
        }
        rest = rest[end...]
      }
    }
  }

  private mutating func append(_ token: ArraySlice<UInt8>, _ places: inout Int) {
    guard places < Self.mostPlaces, addresses.count < Self.mostAddresses else { return }
    places += 1
    guard let address = WebAddress(String(decoding: token, as: UTF8.self)) else { return }
    addresses.append(address)
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    byte <= UInt8(ascii: " ") || "<>\"'()[]{}|`\\,;!".utf8.contains(byte)
  }
}

extension ArraySlice<UInt8> {
  /// Where the first occurrence of some ASCII text ends.
  fileprivate func end(of text: StaticString) -> Int? {
    let length = text.utf8CodeUnitCount
    guard length > 0, count >= length else { return nil }
    return text.withUTF8Buffer { wanted in
      for start in startIndex...(endIndex - length)
      where self[start] == wanted[0] && self[start..<(start + length)].elementsEqual(wanted) {
        return start + length
      }
      return nil
    }
  }

  /// The longest suffix whose bytes all pass.
  fileprivate func suffix(while passes: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    self[(lastIndex { !passes($0) }.map { $0 + 1 } ?? startIndex)...]
  }
}
