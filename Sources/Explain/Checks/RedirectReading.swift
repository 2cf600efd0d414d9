internal import Domain

/// The meaning of a URL's `redirect_to`, and how it was encoded.
struct RedirectReading {
  /// How many times the path was encoded; once is right.
  let times: Int
  /// Whether it contains a raw `+`.
  let hasPlus: Bool
  /// Whether the escapes are those of another character encoding.
  let isUTF8: Bool
  /// Whether a `%` is not followed by two hexadecimal digits.
  let hasBrokenEscape: Bool
  /// Whether a part is encoded once more than the rest.
  let isPartlyDoubled: Bool
  /// The intended raw path.
  let intended: String
  /// The right value for the URL.
  var expected: String { PercentEncoding.encoded(intended) }

  private static let deepest = 5

  /// Reads a value as it stands in a URL.
  ///
  /// - Parameters:
  ///   - raw: the text after `redirect_to=`.
  ///   - isRight: whether a path may be launched; a reading for which it holds is preferred.
  init(_ raw: String, isRight: (String) throws -> Bool) rethrows {
    hasPlus = raw.utf8.contains(UInt8(ascii: "+"))
    hasBrokenEscape = Self.hasBrokenEscape(Array(raw.utf8))
    let spaced = hasPlus ? raw.replacing("+", with: "%20") : raw
    isUTF8 = String(validating: PercentEncoding.decoded(raw), as: UTF8.self) != nil
    let levels = Self.levels(of: spaced)
    let isPath: (String) -> Bool = { $0.utf8.first == UInt8(ascii: "/") }
    let first = levels.firstIndex(where: isPath)
    times = first ?? 1
    var candidates: [String]
    if let first {
      candidates = first == 0 ? Array(levels[min(1, levels.count - 1)...]) : Array(levels[first...])
      if first == 0 { candidates.insert(levels[0], at: min(1, candidates.count)) }
    } else {
      candidates = [levels[min(1, levels.count - 1)]]
    }
    if hasPlus { candidates += Self.levels(of: raw).filter(isPath) }
    let best = try candidates.first(where: isRight) ?? candidates[0]
    intended = best
    isPartlyDoubled =
      first == 1 && levels.count > 2 && levels[2...].contains(best) && best != levels[1]
  }

  private static func hasBrokenEscape(_ bytes: [UInt8]) -> Bool {
    bytes.indices.contains { index in
      bytes[index] == UInt8(ascii: "%")
        && bytes[(index + 1)...].prefix(2).count {
          Character(Unicode.Scalar($0)).isHexDigit
        } < 2
    }
  }

  /// The value decoded zero times, once, twice and so on, until nothing changes.
  private static func levels(of raw: String) -> [String] {
    var levels = [raw]
    while levels.count <= deepest, let last = levels.last,
      let text = PercentEncoding.decodedText(last), text != last
    {
      levels.append(text)
    }
    return levels
  }
}
