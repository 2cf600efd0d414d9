internal import Domain

/// A text to search for whole keys, decoded as many times as it is encoded.
struct LeakSearch {
  private static let window = 8

  private let texts: [[UInt8]]
  /// All windows of eight bytes, which rule out most keys without a search.
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

  /// Whether the key occurs exactly; one of fewer than six bytes is a word rather than a key.
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
