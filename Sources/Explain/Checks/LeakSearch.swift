internal import Domain

/// A text that whole keys are looked for in, decoded as often as it is encoded.
struct LeakSearch {
  private static let window = 8

  private let texts: [[UInt8]]
  /// Every eight bytes that follow each other, so that most keys are told without a search.
  private var windows: Set<UInt64> = []

  init(_ texts: [String]) {
    var levels = texts
    for text in texts {
      var last = text
      for _ in 0..<5 where last.utf8.contains(UInt8(ascii: "%")) {
        last = String(decoding: PercentEncoding.decoded(last), as: UTF8.self)
        levels.append(last)
      }
    }
    self.texts = levels.map { Array($0.utf8) }
    for text in self.texts {
      var packed: UInt64 = 0
      for (index, byte) in text.enumerated() {
        packed = packed << 8 | UInt64(byte)
        if index >= Self.window - 1 { windows.insert(packed) }
      }
    }
  }

  /// Whether the key is there to the letter; a shorter one than six bytes is a word, not a key.
  func contains(_ key: String) -> Bool {
    let bytes = Array(key.utf8)
    guard bytes.count >= 6 else { return false }
    if bytes.count >= Self.window {
      let packed = bytes.prefix(Self.window).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      guard windows.contains(packed) else { return false }
    }
    return texts.contains { $0.firstRange(of: bytes) != nil }
  }
}
