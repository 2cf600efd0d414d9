internal import Domain
internal import Encoding

/// An answer of LaunchLink or a gateway, which partners often send before the launch itself: a
/// problem document, `x-launch-code`, a code, a status line, a request ID.
struct PastedAnswer {
  /// A problem code or a refusal code.
  enum Code: Equatable {
    case problem(ProblemCode)
    case refusal(RefusalCode)

    static let all: [String: Code] = {
      let problems = ProblemCode.allCases.map { ($0.rawValue, Code.problem($0)) }
      let refusals = RefusalCode.allCases.map { ($0.rawValue, Code.refusal($0)) }
      return Dictionary(problems + refusals) { first, _ in first }
    }()
  }

  /// The most codes that are read.
  private static let mostCodes = 8
  /// The most bytes of a text that may be a code alone, or with a word or two beside it.
  private static let shortText = 48
  /// How many bytes before a word count as its context.
  private static let horizon = 24

  /// The codes in the order of the text.
  private(set) var codes: [Code] = []
  /// The first HTTP status of a refusal or an error.
  private(set) var status: Int?
  /// The first request id; nil where there is none.
  private(set) var requestID: String?
  /// The first launch id.
  private(set) var launchID: LaunchID?

  var isEmpty: Bool { codes.isEmpty && status == nil && requestID == nil && launchID == nil }

  init(reading text: String) {
    let bytes = Array(text.trimmingWhiteSpace.utf8)
    let isShort = bytes.count <= Self.shortText
    if isShort, let code = Self.titled(text) { codes = [code] }
    var cursor = ByteCursor(bytes)
    while !cursor.isAtEnd {
      cursor.skip { !Self.isOfWord($0) }
      let start = cursor.position
      cursor.skip(Self.isOfWord)
      let length = cursor.position - start
      guard (3...64).contains(length) else { continue }
      take(cursor.text(from: start), at: start, cursor: cursor, isShort: isShort)
    }
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    PercentEncoding.isUnreserved(byte) && byte != UInt8(ascii: ".") && byte != UInt8(ascii: "~")
  }

  private mutating func take(_ word: String, at start: Int, cursor: ByteCursor, isShort: Bool) {
    let lowered = word.lowercased()
    if let code = Self.all(lowered),
      isShort && Self.isAlone(cursor.bytes) || lowered.utf8.contains(UInt8(ascii: "_"))
        || Self.isCode(cursor.bytes, before: start)
    {
      if codes.count < Self.mostCodes, !codes.contains(code) { codes.append(code) }
    } else if ["http", "code", "error"].contains(lowered) || lowered.hasSuffix("status") {
      takeStatus(behind: cursor)
    } else if let number = Int(word),
      start == 0 && isShort || Self.isStatus(at: start, before: cursor.position, in: cursor.bytes)
    {
      takeStatus(number)
    } else if lowered.hasSuffix("request_id") || lowered.hasSuffix("request-id")
      || lowered == "requestid"
    {
      takeRequestID(behind: cursor)
    } else if Self.isOwnRequestID(word) {
      requestID = requestID ?? word
    } else if launchID == nil {
      let id = lowered.hasPrefix("launch-") ? String(lowered.dropFirst(7)) : lowered
      launchID = LaunchID(id)
    }
  }

  /// The code whose title is the whole text, such as `Unknown business`.
  private static func titled(_ text: String) -> Code? {
    let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
    return words.count > 1 ? Code.all[words.joined(separator: "_")] : nil
  }

  /// Whether the text is a code of one word with at most a word or two beside it, and not prose.
  private static func isAlone(_ bytes: [UInt8]) -> Bool {
    bytes.split { !($0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z")) }.count <= 3
  }

  private static let wordsByStatus = [
    "error", "required", "unauthorized", "forbidden", "not found", "에러", "오류", "응답", "상태", "떠",
    "뜨", "뜹", "나와", "나옵", "납니다",
  ]

  /// Whether its context names the number as a status, and it is not an amount.
  private static func isStatus(at start: Int, before end: Int, in bytes: [UInt8]) -> Bool {
    guard end - start == 3 else { return false }
    let behind = String(decoding: bytes[end...].prefix(horizon), as: UTF8.self).lowercased()
    guard
      behind.utf8.first.map({ $0 < 0x80 }) ?? true
        || ["에러", "오류", "이 ", "가 "].contains(where: { behind.hasPrefix($0) })
    else { return false }
    let before = String(decoding: bytes[..<start].suffix(horizon), as: UTF8.self).lowercased()
    return wordsByStatus.contains { behind.contains($0) || before.contains($0) }
  }

  private static func all(_ word: String) -> Code? {
    Code.all[word] ?? Code.all[word.replacing("-", with: "_")] ?? camelCodes[word]
  }

  /// Codes of several words, written as one word.
  private static let camelCodes = Dictionary(
    Code.all.filter { $0.key.utf8.contains(UInt8(ascii: "_")) }
      .map { ($0.key.replacing("_", with: ""), $0.value) }
  ) { first, _ in first }

  /// Whether the text before announces a code.
  private static func isCode(_ bytes: [UInt8], before index: Int) -> Bool {
    let context = String(decoding: bytes[..<index].suffix(horizon), as: UTF8.self).lowercased()
    return ["code", "problems/", "error", "reason", "코드", "오류", "에러"].contains {
      context.contains($0)
    }
  }

  /// Reads the number that follows a version, an equals sign or the like.
  private mutating func takeStatus(behind cursor: ByteCursor) {
    var ahead = cursor
    if ahead.next == UInt8(ascii: "/") {
      ahead.position += 1
      ahead.skip(atMost: 4) { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
    }
    ahead.skip(atMost: 8) { "\"':= ".utf8.contains($0) }
    let start = ahead.position
    ahead.skip(atMost: 4, \.isASCIIDigit)
    if let number = Int(ahead.text(from: start)) { takeStatus(number) }
  }

  private mutating func takeStatus(_ number: Int) {
    if status == nil, Finding.answeredStatus(number) != nil { status = number }
  }

  private mutating func takeRequestID(behind cursor: ByteCursor) {
    var ahead = cursor
    ahead.skip(atMost: 8) { "\"':=> \\[".utf8.contains($0) }
    let start = ahead.position
    ahead.skip(atMost: 128) { $0 > 0x20 && $0 < 0x7F && !"\"',}]\\<".utf8.contains($0) }
    let id = ahead.text(from: start)
    if requestID == nil, id.utf8.count >= 4 { requestID = id }
  }

  /// Whether it has the form of LaunchLink's own IDs: 16 hexadecimal digits and a number.
  static func isOwnRequestID(_ word: String) -> Bool {
    let parts = word.split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0].utf8.count == 16 && parts[1].utf8.count >= 11
      && parts.joined().utf8.allSatisfy { $0.isASCIIDigit || "abcdef".utf8.contains($0) }
  }
}
