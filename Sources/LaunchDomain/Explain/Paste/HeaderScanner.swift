/// Finds the headers of a bundle by their names in lines, lists and prose.
struct HeaderScanner {
  /// Headers that are read at the most.
  private static let mostHeaders = 64
  /// Bytes of a structured field at the most.
  private static let longestValue = 4096
  private static let prefixes = ["x-moment-", "signature"]
  private static let wholeNames = [":authority", ":path", ":method", ":scheme", "host"]

  private let bytes: [UInt8]
  private var position = 0

  /// The headers in the order of the text.
  static func headers(in text: String) -> [(name: String, value: String)] {
    var scanner = HeaderScanner(bytes: Array(text.utf8))
    var found: [(name: String, value: String)] = []
    while scanner.position < scanner.bytes.count, found.count < mostHeaders {
      if let header = scanner.header() { found.append(header) } else { scanner.position += 1 }
    }
    return found
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private var previous: UInt8? { position > 0 ? bytes[position - 1] : nil }

  private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
    while let byte = next, isSkipped(byte) { position += 1 }
  }

  private static func isToken(_ byte: UInt8) -> Bool {
    byte != UInt8(ascii: ".") && byte != UInt8(ascii: "~") && PercentEncoding.isUnreserved(byte)
  }

  /// The header that begins here; the position stays where none does.
  private mutating func header() -> (name: String, value: String)? {
    let start = position
    guard previous.map({ !Self.isToken($0) && $0 != UInt8(ascii: ":") }) ?? true else { return nil }
    let opening = previous == UInt8(ascii: "\"") || previous == UInt8(ascii: "'") ? previous : nil
    let isWhole =
      Self.wholeNames.contains { bytes.hasPrefix($0, at: position) } && isAtLineStart
    guard isWhole || Self.prefixes.contains(where: { bytes.hasPrefix($0, at: position) }) else {
      return nil
    }
    if next == UInt8(ascii: ":") { position += 1 }
    skip(Self.isToken)
    let name = String(decoding: bytes[start..<position], as: UTF8.self)
    let isQuotedName = skipClosing(opening)
    skip { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    guard let separator = next, ":=\n".utf8.contains(separator),
      separator != UInt8(ascii: "\n") || isWhole || isNameAlone(from: start)
    else {
      position = start
      return nil
    }
    position += 1
    if separator == UInt8(ascii: "="), next == UInt8(ascii: ">") { position += 1 }
    skip { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    if next == UInt8(ascii: "\n"), !isHeaderNext { position += 1 }
    let value = value(of: name.lowercased(), enclosing: isQuotedName ? nil : opening)
    // `signature: 서명이 틀립니다` is prose.
    return value.isEmpty && next.map { $0 >= 0x80 } == true ? nil : (name, value)
  }

  private var isAtLineStart: Bool {
    var index = position
    while index > 0, position - index < 16, " \t>*\"'".utf8.contains(bytes[index - 1]) {
      index -= 1
    }
    return index == 0 || bytes[index - 1] == UInt8(ascii: "\n")
  }

  /// Whether the name fills its line, as browsers' developer tools copy names and values.
  private func isNameAlone(from start: Int) -> Bool {
    start == 0 || bytes[start - 1] == UInt8(ascii: "\n")
  }

  private var isHeaderNext: Bool {
    Self.prefixes.contains { bytes.hasPrefix($0, at: position + 1) }
  }

  private mutating func skipClosing(_ opening: UInt8?) -> Bool {
    guard let opening else { return false }
    if next == UInt8(ascii: "\\"), position + 1 < bytes.count, bytes[position + 1] == opening {
      position += 2
      return true
    }
    guard next == opening else { return false }
    position += 1
    return true
  }

  private mutating func value(of name: String, enclosing: UInt8?) -> String {
    switch name {
    case "signature-input": return structured(isQuoteTaken: true)
    case "signature": return structured(isQuoteTaken: false)
    default: break
    }
    var enclosing = enclosing
    if enclosing == nil {
      if next == UInt8(ascii: "\\") { position += 1 }
      if next == UInt8(ascii: "\"") || next == UInt8(ascii: "'") {
        enclosing = next
        position += 1
      }
    }
    let start = position
    if let enclosing {
      skip { $0 != enclosing && $0 != UInt8(ascii: "\n") }
      return String(decoding: bytes[start..<position], as: UTF8.self)
    }
    skip { $0 > 0x20 && $0 < 0x7F }
    let word = String(decoding: bytes[start..<position], as: UTF8.self)
    return word.hasSuffix(",") || word.hasSuffix("\\") ? String(word.dropLast()) : word
  }

  /// A structured field (RFC 8941), over as many lines as it was wrapped to; quotation marks belong
  /// to it where `isQuoteTaken` says so, as in `signature-input`.
  private mutating func structured(isQuoteTaken: Bool) -> String {
    skip { "\"'\\ ".utf8.contains($0) }
    var text: [UInt8] = []
    var depth = 0
    var isInString = false
    var isInBytes = false
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\\") where bytes.hasPrefix("\\\"", at: position): break
      case UInt8(ascii: "\\") where bytes.hasPrefix("\\\n", at: position): break
      case UInt8(ascii: "\n"):
        guard
          isInString || isInBytes || depth > 0 || isContinued
            || (isQuoteTaken && isInParameter(after: text.last)),
          text.count < Self.longestValue
        else {
          return String(decoding: text, as: UTF8.self)
        }
        text.append(byte)
        // A wrapped line may be indented.
        while position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: " ") { position += 1 }
      case UInt8(ascii: "\""):
        let isOpening = depth > 0 || (text.last.map { "= \n".utf8.contains($0) } ?? false)
        guard isQuoteTaken, isInString || isOpening else {
          return String(decoding: text, as: UTF8.self)
        }
        isInString.toggle()
        text.append(byte)
      case UInt8(ascii: "'"):
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: ":") where !isInString && depth == 0:
        isInBytes.toggle()
        text.append(byte)
      case UInt8(ascii: "("), UInt8(ascii: ")"):
        if !isInString { depth += byte == UInt8(ascii: "(") ? 1 : -1 }
        text.append(byte)
      case UInt8(ascii: " ") where !isInString && !isInBytes && depth <= 0 && !isContinued:
        return String(decoding: text, as: UTF8.self)
      case 0...0x1F, 0x7F...0xFF:
        return String(decoding: text, as: UTF8.self)
      case _ where text.count >= Self.longestValue:
        return String(decoding: text, as: UTF8.self)
      default:
        text.append(byte)
      }
      position += 1
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether what follows the blanks from here can only be the rest of a structured field.
  private var isContinued: Bool {
    let rest = bytes[position...].prefix(256).drop {
      $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: " ")
    }
    guard let first = rest.first else { return false }
    return ";:(".utf8.contains(first)
  }

  /// Whether the next line is the rest of a parameter that was cut before, in or after its name, or
  /// in its number.
  private func isInParameter(after last: UInt8?) -> Bool {
    guard last != UInt8(ascii: "\"") else { return false }
    let line = bytes[position...].prefix(256).drop {
      $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: " ")
    }
    let word = line.prefix {
      $0.isASCIIDigit || ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z"))
    }
    guard let next = line.dropFirst(word.count).first else { return false }
    return next == UInt8(ascii: "=") || next == UInt8(ascii: ";")
      || (word.isEmpty && next == UInt8(ascii: "\"") && last == UInt8(ascii: "="))
  }
}
