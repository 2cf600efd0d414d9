internal import Cryptography

/// A dictionary (RFC 8941 section 3.2), read strictly: each key and each parameter may occur once.
///
/// RFC 8941 lets the last of two equal keys win. Here such a field is refused, since two programs
/// that choose differently would see two signatures. A field beyond the limits below is refused at
/// the first part too many, because its parts are gone through several times.
public struct StructuredDictionary: Sendable {
  /// How many members a dictionary may have.
  static let mostMembers = 16
  /// How many items all inner lists of a dictionary may have together.
  static let mostListItems = 64
  /// How many parameters all members and items of a dictionary may have together.
  static let mostParameters = 64

  /// A value without parameters (RFC 8941 section 3.3).
  public enum BareItem: Sendable, Equatable {
    /// A whole number.
    case integer(Int64)
    /// A number with a fraction, as written.
    case decimal(String)
    /// A string, without its quotation marks and escapes.
    case string(String)
    /// A token.
    case token(String)
    /// A byte sequence.
    case bytes([UInt8])
    /// A truth value.
    case boolean(Bool)
  }

  /// Parameters in their order.
  public typealias Parameters = [(name: String, value: BareItem)]

  /// An item of an inner list.
  public struct Item: Sendable {
    /// The item's value.
    public let value: BareItem
    /// The item's parameters.
    public let parameters: Parameters
  }

  /// What a member is (RFC 8941 section 3.2).
  public enum Content: Sendable {
    /// An item, whose parameters are the member's.
    case item(BareItem)
    /// An inner list, whose parameters are the member's.
    case list([Item])
  }

  /// One member of the dictionary.
  public struct Member: Sendable {
    /// Its key.
    public let key: String
    /// Its value.
    public let content: Content
    /// Its parameters.
    public let parameters: Parameters
    /// The member's value as it was written, parameters included.
    public let text: String
  }

  /// The members in their order.
  public let members: [Member]

  /// Reads a whole field value; nil where it is not a dictionary or exceeds a limit.
  public init?(_ text: String) {
    var parser = StructuredParser(text)
    guard let members = parser.dictionary() else { return nil }
    self.members = members
  }

  /// The member with this key.
  subscript(key: String) -> Member? {
    members.first { $0.key == key }
  }
}

extension StructuredDictionary.Member {
  /// The value of a parameter; nil where it is absent.
  public func parameter(_ name: String) -> StructuredDictionary.BareItem? {
    parameters.first { $0.name == name }?.value
  }
}

/// Parses the grammar of RFC 8941 section 4.2 from the left; each function returns nil at a syntax
/// error.
private struct StructuredParser {
  typealias BareItem = StructuredDictionary.BareItem

  private let bytes: [UInt8]
  private var position = 0
  /// How many more of each may follow.
  private var listItemsLeft = StructuredDictionary.mostListItems
  private var parametersLeft = StructuredDictionary.mostParameters

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func skipBlanks(tabs: Bool) {
    while next == UInt8(ascii: " ") || (tabs && next == UInt8(ascii: "\t")) { position += 1 }
  }

  private mutating func take(while condition: (UInt8) -> Bool) -> [UInt8] {
    let start = position
    while let byte = next, condition(byte) { position += 1 }
    return Array(bytes[start..<position])
  }

  mutating func dictionary() -> [StructuredDictionary.Member]? {
    var members: [StructuredDictionary.Member] = []
    skipBlanks(tabs: false)
    while next != nil {
      guard members.count < StructuredDictionary.mostMembers, let key = key(),
        !members.contains(where: { $0.key == key }), let member = member(key: key)
      else { return nil }
      members.append(member)
      skipBlanks(tabs: true)
      if next == nil { return members }
      guard skip(",") else { return nil }
      skipBlanks(tabs: true)
      guard next != nil else { return nil }
    }
    return members
  }

  private mutating func member(key: String) -> StructuredDictionary.Member? {
    let content: StructuredDictionary.Content
    var start = position
    if skip("=") {
      start = position
      if next == UInt8(ascii: "(") {
        guard let list = innerList() else { return nil }
        content = .list(list)
      } else {
        guard let item = bareItem() else { return nil }
        content = .item(item)
      }
    } else {
      content = .item(.boolean(true))
    }
    guard let parameters = parameters() else { return nil }
    return StructuredDictionary.Member(
      key: key, content: content, parameters: parameters,
      text: String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private mutating func innerList() -> [StructuredDictionary.Item]? {
    guard skip("(") else { return nil }
    var items: [StructuredDictionary.Item] = []
    while true {
      skipBlanks(tabs: false)
      if skip(")") { return items }
      listItemsLeft -= 1
      guard listItemsLeft >= 0, let value = bareItem(), let parameters = parameters(),
        next == UInt8(ascii: " ") || next == UInt8(ascii: ")")
      else { return nil }
      items.append(StructuredDictionary.Item(value: value, parameters: parameters))
    }
  }

  private mutating func parameters() -> StructuredDictionary.Parameters? {
    var parameters: StructuredDictionary.Parameters = []
    while skip(";") {
      skipBlanks(tabs: false)
      parametersLeft -= 1
      guard parametersLeft >= 0, let name = key(),
        !parameters.contains(where: { $0.name == name })
      else { return nil }
      var value = BareItem.boolean(true)
      if skip("=") {
        guard let item = bareItem() else { return nil }
        value = item
      }
      parameters.append((name, value))
    }
    return parameters
  }

  private mutating func key() -> String? {
    guard let first = next, first.isLowercaseLetter || first == UInt8(ascii: "*") else {
      return nil
    }
    let key = take { byte in
      byte.isLowercaseLetter || byte.isASCIIDigit || "_-.*".utf8.contains(byte)
    }
    return String(decoding: key, as: UTF8.self)
  }

  private mutating func bareItem() -> BareItem? {
    switch next {
    case UInt8(ascii: "\""): string()
    case UInt8(ascii: ":"): byteSequence()
    case UInt8(ascii: "?"): boolean()
    case .some(let byte) where byte == UInt8(ascii: "-") || byte.isASCIIDigit: number()
    case .some(let byte) where byte == UInt8(ascii: "*") || byte.isLetter: token()
    default: nil
    }
  }

  private mutating func number() -> BareItem? {
    let isNegative = skip("-")
    let whole = take(while: \.isASCIIDigit)
    guard !whole.isEmpty else { return nil }
    guard skip(".") else {
      guard whole.count <= 15, let value = Int64(String(decoding: whole, as: UTF8.self)) else {
        return nil
      }
      return .integer(isNegative ? -value : value)
    }
    let fraction = take(while: \.isASCIIDigit)
    guard whole.count <= 12, (1...3).contains(fraction.count) else { return nil }
    let text = (isNegative ? [UInt8(ascii: "-")] : []) + whole + [UInt8(ascii: ".")] + fraction
    return .decimal(String(decoding: text, as: UTF8.self))
  }

  private mutating func string() -> BareItem? {
    guard skip("\"") else { return nil }
    var text: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        return .string(String(decoding: text, as: UTF8.self))
      case UInt8(ascii: "\\"):
        guard let escaped = next, escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\")
        else { return nil }
        position += 1
        text.append(escaped)
      case 0x20...0x7E:
        text.append(byte)
      default:
        return nil
      }
    }
    return nil
  }

  private mutating func token() -> BareItem? {
    let text = take { byte in
      byte.isLetter || byte.isASCIIDigit || "!#$%&'*+-.^_`|~:/".utf8.contains(byte)
    }
    return .token(String(decoding: text, as: UTF8.self))
  }

  private mutating func byteSequence() -> BareItem? {
    guard skip(":") else { return nil }
    let text = take { $0 != UInt8(ascii: ":") }
    guard skip(":"), let value = Base64.decode(String(decoding: text, as: UTF8.self)) else {
      return nil
    }
    return .bytes(value)
  }

  private mutating func boolean() -> BareItem? {
    guard skip("?") else { return nil }
    if skip("1") { return .boolean(true) }
    return skip("0") ? .boolean(false) : nil
  }
}

extension UInt8 {
  fileprivate var isLowercaseLetter: Bool {
    self >= UInt8(ascii: "a") && self <= UInt8(ascii: "z")
  }

  fileprivate var isLetter: Bool {
    isLowercaseLetter || (self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z"))
  }
}
