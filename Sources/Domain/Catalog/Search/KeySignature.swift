/// What a scan reads of some keys before it looks at the keys themselves.
///
/// It holds which pairs of neighbours there are (a Bloom filter of 44 bits), how many keys, what the
/// text is, and a few bits of the first and of the last key. Keys that hold others have all their
/// pairs, and keys that differ in little have nearly the same, so that one word of 64 bits tells
/// most texts of a catalogue apart.
struct KeySignature {
  private static let pairBits: UInt64 = 44
  private static let pairs: UInt64 = (1 << pairBits) - 1
  private static let lengthShift: UInt64 = 44
  private static let kindShift: UInt64 = 52
  private static let firstShift: UInt64 = 55
  private static let lastShift: UInt64 = 59
  private static let kinds: UInt64 = 7 << kindShift
  private static let firsts: UInt64 = 15 << firstShift
  private static let lasts: UInt64 = 15 << lastShift

  /// Keys that are counted at most; longer texts are all of this length.
  static let longest = 255

  private let bits: UInt64

  init(_ keys: some Collection<UInt8>, kind: KeyIndex.Kind) {
    var bits = UInt64(min(keys.count, Self.longest)) << Self.lengthShift
    bits |= UInt64(kind.rawValue) << Self.kindShift
    var previous: UInt8?
    for key in keys {
      if let previous {
        let hash = (UInt32(previous) << 8 | UInt32(key)) &* 0x9E37_79B1
        bits |= 1 << ((UInt64(hash >> 24) * Self.pairBits) >> 8)
      } else {
        bits |= UInt64(key & 15) << Self.firstShift
      }
      previous = key
    }
    bits |= UInt64((previous ?? 0) & 15) << Self.lastShift
    self.bits = bits
  }

  /// How many keys there are, `longest` at most.
  var count: Int { Int(bits >> Self.lengthShift & 0xFF) }

  /// What the text is.
  var kind: KeyIndex.Kind { KeyIndex.Kind(rawValue: UInt8(bits >> Self.kindShift & 7)) ?? .id }

  /// Whether the keys may be the same.
  @inline(__always)
  func mayEqual(_ other: KeySignature) -> Bool { (bits ^ other.bits) & ~Self.kinds == 0 }

  /// Whether these keys may hold those of a query.
  @inline(__always)
  func mayHold(_ query: KeySignature) -> Bool {
    ~bits & query.bits & Self.pairs == 0 && count >= query.count
  }

  /// Whether these keys may begin with the same key.
  @inline(__always)
  func mayBegin(as other: KeySignature) -> Bool { (bits ^ other.bits) & Self.firsts == 0 }

  /// Whether the keys may differ in one place only, of `longest` keys at most, with which so many pairs
  /// come and go at most.
  @inline(__always)
  func mayBeNear(_ other: KeySignature, longest: Int, pairs: Int) -> Bool {
    let difference = bits ^ other.bits
    // One place leaves the first key or the last one as it is.
    guard difference & Self.firsts == 0 || difference & Self.lasts == 0 else { return false }
    return abs(count - other.count) <= longest
      && (difference & Self.pairs).nonzeroBitCount <= pairs
  }
}

/// Which three keys stand behind each other somewhere, as a Bloom filter of 64 bits: looked at where the
/// pairs let a text pass, since ids of a few syllables have much the same pairs.
struct KeyTriples {
  private let bits: UInt64

  init(_ keys: some Collection<UInt8>) {
    var bits: UInt64 = 0
    var last: UInt32 = 0
    for (index, key) in keys.enumerated() {
      last = (last << 8 | UInt32(key)) & 0xFF_FFFF
      if index >= 2 { bits |= 1 << UInt64((last &* 0x9E37_79B1) >> 26) }
    }
    self.bits = bits
  }

  /// Whether these keys may hold those of a query.
  func mayHold(_ query: KeyTriples) -> Bool { ~bits & query.bits == 0 }
}
