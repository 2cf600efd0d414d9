/// The rules for the parts of a business, whichever file they come from (openapi.yaml, schema `Business`).
struct BusinessRules {
  /// Why a value does not fit.
  struct Objection: Error {
    let message: String

    init(_ message: String) {
      self.message = message
    }

    /// The rule, followed by the first invisible character of the value where there is one.
    init(_ rule: String, of text: String) {
      let hidden = text.unicodeScalars.first(where: \.isHidden)
      message = rule + (hidden.map { " There is \($0.inWords) in it; take it out." } ?? "")
    }
  }

  static let nameLength = 50
  static let lineLength = 200
  static let textLength = 4000
  static let urlLength = 2048
  static let aliasCount = 50
  static let productCount = 100
  static let endBeforeStart = "The end has to come after the start."

  /// The keys of the configured categories.
  let categories: [String]
  /// Texts of the business that are stored already; they are accepted whichever rule they break.
  var stored: Set<String> = []

  func id(_ text: String) throws(Objection) -> String {
    guard Business.isID(text) else {
      throw Objection("A business id is 1 to 30 of a-z 0-9 _ and -.", of: text)
    }
    return text
  }

  /// A name or an alias.
  func name(_ text: String) throws(Objection) -> String {
    try line(text, upTo: Self.nameLength)
  }

  func aliases(_ texts: [String]) throws(Objection) -> [String] {
    guard texts.count <= Self.aliasCount else {
      throw Objection("There may be \(Self.aliasCount) aliases at most.")
    }
    var aliases: [String] = []
    for text in texts {
      if text.isEmpty {
        throw Objection("An alias cannot be empty.")
      }
      let alias = try name(text)
      if alias.utf8.contains(UInt8(ascii: "|")) {
        throw Objection("An alias cannot hold |, which separates them in CSV.")
      }
      if !aliases.contains(alias) { aliases.append(alias) }
    }
    return aliases
  }

  /// Aliases as CSV has them, separated by `|`.
  func aliasList(_ text: String) throws(Objection) -> [String] {
    try aliases(Business.aliases(in: text))
  }

  func category(_ text: String) throws(Objection) -> String {
    guard categories.contains(text) else {
      let meant = nearest(to: text, in: categories, limit: 1).first.map { "; did you mean \($0)?" }
      throw Objection(
        "There is no such category" + (meant ?? ". There are \(list(categories))."), of: text)
    }
    return text
  }

  /// An absolute `https` or `http` URL.
  func url(_ text: String) throws(Objection) -> String {
    if stored.contains(text) { return text }
    guard text.utf8.count <= Self.urlLength, let parts = URLParts(text), !parts.authority.isEmpty,
      Array(text.unicodeScalars).isSeenWithoutBlanks
    else {
      throw Objection(
        "This has to be a URL that starts with https:// or http://, at most \(Self.urlLength) bytes.",
        of: text)
    }
    return text
  }

  /// One line of text.
  func line(_ text: String) throws(Objection) -> String {
    try line(text, upTo: Self.lineLength)
  }

  private func line(_ text: String, upTo limit: Int) throws(Objection) -> String {
    if stored.contains(text) { return text }
    do throws(NameRule.Objection) {
      return try NameRule.name(text, lengths: 1...limit)
    } catch {
      throw Objection(error.description)
    }
  }

  /// Text of one or more lines; line breaks of any system become line feeds.
  func text(_ text: String) throws(Objection) -> String {
    if stored.contains(text) { return text }
    do throws(NameRule.Objection) {
      return try NameRule.lines(text.withLineFeeds, upTo: Self.textLength)
    } catch {
      throw Objection(error.description)
    }
  }

  /// A truth value in any case, since spreadsheets write capitals.
  func truth(_ text: String) throws(Objection) -> Bool {
    switch text.lowercased() {
    case "true": return true
    case "false": return false
    default: throw Objection("This has to be true or false.", of: text)
    }
  }

  /// A time in whole seconds, the precision that it is written with.
  func time(_ text: String) throws(Objection) -> Timestamp {
    guard let time = Timestamp(rfc3339: text) else {
      throw Objection(
        "A time is written as in RFC 3339, such as 2026-11-29T12:00:00Z.", of: text)
    }
    return Timestamp(seconds: time.seconds)
  }

  func commissionType(_ text: String) throws(Objection) -> CommissionType {
    guard let type = CommissionType(rawValue: text) else {
      throw Objection(
        "This has to be one of \(list(CommissionType.allCases.map(\.rawValue))).", of: text)
    }
    return type
  }

  func unit(_ text: String) throws(Objection) -> Commission.Unit {
    guard let unit = Commission.Unit(rawValue: text) else {
      throw Objection(
        "This has to be \(list(Commission.Unit.allCases.map(\.rawValue))).", of: text)
    }
    return unit
  }

  func commission(_ amount: String, _ unit: Commission.Unit) throws(Objection) -> Commission {
    guard let commission = Commission(amount: amount, unit: unit) else {
      throw Objection(
        "An amount is a decimal number such as 2.5, with up to 12 digits before and 6 after the point"
          + (unit == .percentage ? "; a percentage is 100 at most." : "."), of: amount)
    }
    return commission
  }

  private func list(_ values: [String]) -> String { values.joined(separator: ", ") }
}

extension String {
  /// The text with a line feed for each line break, be it CR, LF or both.
  fileprivate var withLineFeeds: String {
    guard utf8.contains(UInt8(ascii: "\r")) else { return self }
    var bytes: [UInt8] = []
    var last: UInt8 = 0
    for byte in utf8 {
      if byte != UInt8(ascii: "\n") || last != UInt8(ascii: "\r") {
        bytes.append(byte == UInt8(ascii: "\r") ? UInt8(ascii: "\n") : byte)
      }
      last = byte
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
