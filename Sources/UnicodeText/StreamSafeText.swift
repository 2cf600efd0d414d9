/// Counts consecutive combining characters of a text.
///
/// To compare or hash a text, Swift sorts the combining characters after a letter into canonical
/// order, in a time that is quadratic in their number: 14 KB of them take 70 ms each time. No
/// language uses more than a few; UAX #15 section 13 (Stream-Safe Text Format) allows 30. A text
/// within that limit is compared in linear time.
public struct CombiningRun: Sendable {
  /// The most combining characters in a row.
  public static let longest = 30

  private var length = 0

  /// Makes a counter at the start of a text.
  public init() {}

  /// Takes the next character.
  ///
  /// - Returns: whether it exceeds the limit.
  public mutating func isOverlong(with scalar: Unicode.Scalar) -> Bool {
    guard Self.isCombining(scalar) else {
      length = 0
      return false
    }
    length += 1
    return length > Self.longest
  }

  private static func isCombining(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // The fast path of nearly all text: Latin letters and Hangul syllables.
    case 0..<0x300, 0xAC00...0xD7A3: false
    default: scalar.properties.canonicalCombiningClass != .notReordered
    }
  }
}

extension StringProtocol {
  /// Whether no more than ``CombiningRun/longest`` combining characters follow one another
  /// anywhere.
  public var isStreamSafe: Bool {
    // No combining character begins with a byte below this one (U+0300 is CC 80). The UTF-8 storage
    // is read directly, since a collection of any kind of text takes 50 instructions for each byte.
    let isPlain = utf8.withContiguousStorageIfAvailable { $0.allSatisfy { $0 < 0xCC } }
    if isPlain == true { return true }
    var run = CombiningRun()
    return !unicodeScalars.contains { run.isOverlong(with: $0) }
  }

  /// The text with U+FFFD in place of each combining character beyond the limit.
  public var streamSafe: String {
    guard !isStreamSafe else { return String(self) }
    var run = CombiningRun()
    var safe = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      guard run.isOverlong(with: scalar) else {
        safe.append(scalar)
        continue
      }
      safe.append("\u{FFFD}")
      run = CombiningRun()
    }
    return String(safe)
  }
}
