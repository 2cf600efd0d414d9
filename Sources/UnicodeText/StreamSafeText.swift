/// Counts combining characters that follow one another, as they are read.
///
/// To compare or to hash a text, Swift puts the combining characters behind a letter in their canonical order, and that
/// takes the square of their number: 14 KB of them cost 70 ms each time. No language has more than a few;
/// UAX #15 section 13 (Stream-Safe Text Format) allows 30. A text that was found to keep to that is compared
/// in time that grows with its length alone.
public struct CombiningRun: Sendable {
  /// As many may follow one another.
  public static let longest = 30

  private var length = 0

  /// Begins before the first character.
  public init() {}

  /// Takes the next character.
  ///
  /// - Returns: whether it is one too many.
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
    // What nearly all text is of, without a look at the tables: Latin letters and Hangul syllables.
    case 0..<0x300, 0xAC00...0xD7A3: false
    default: scalar.properties.canonicalCombiningClass != .notReordered
    }
  }
}

extension StringProtocol {
  /// Whether nowhere more than ``CombiningRun/longest`` combining characters follow one another.
  public var isStreamSafe: Bool {
    // Below this byte no character begins that combines (U+0300 is CC 80). The storage is looked at as
    // bytes, since a collection of any kind of text takes 50 instructions for each.
    let isPlain = utf8.withContiguousStorageIfAvailable { $0.allSatisfy { $0 < 0xCC } }
    if isPlain == true { return true }
    var run = CombiningRun()
    return !unicodeScalars.contains { run.isOverlong(with: $0) }
  }

  /// The text with U+FFFD in place of each combining character that is one too many.
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
