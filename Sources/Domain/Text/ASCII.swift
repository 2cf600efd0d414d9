extension UInt8 {
  /// Whether it is the ASCII code of a digit.
  @inlinable
  public var isASCIIDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
}

extension StringProtocol {
  /// The text with `A-Z` in lower case and nothing else changed: the Kelvin sign is no `k` in the
  /// name of a header or a host.
  @inlinable
  public var lowercasedASCII: String {
    let isUpper: (UInt8) -> Bool = { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") }
    return String(decoding: utf8.map { isUpper($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}

extension Unicode.Scalar {
  /// Whether it is a control character (Unicode's Cc) or one of the two separators that end a line.
  public var isControl: Bool {
    value < 0x20 || (0x7F...0x9F).contains(value) || value == 0x2028 || value == 0x2029
  }
}
