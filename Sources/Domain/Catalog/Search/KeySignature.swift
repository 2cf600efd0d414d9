/// A summary of some keys that a scan reads before the keys themselves.
///
/// It holds the pairs of neighbouring keys (a Bloom filter of 44 bits), how many keys there are,
/// the kind of the text, and a few bits of the first and the last key. A sequence has all pairs of
/// those that it contains, and similar sequences have nearly the same pairs, so one word of 64 bits
/// rules out most texts of a catalogue.
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

  /// The most keys that are counted; longer texts count as this long.
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

  /// The kind of the text.
  var kind: KeyIndex.Kind { KeyIndex.Kind(rawValue: UInt8(bits >> Self.kindShift & 7)) ?? .id }

  /// Whether the keys may be the same.
  @inline(__always)
  func mayEqual(_ other: KeySignature) -> Bool { (bits ^ other.bits) & ~Self.kinds == 0 }

  /// Whether these keys may hold those of a query.
  @inline(__always)
  func mayHold(_ query: KeySignature) -> Bool {
    ~bits & query.bits & Self.pairs == 0 && count >= query.count
  }

  /// Whether both sequences may begin with the same key.
  @inline(__always)
  func mayBegin(as other: KeySignature) -> Bool { (bits ^ other.bits) & Self.firsts == 0 }

  /// Whether two sequences of `longest` keys at most may differ in one place only, where so many
  /// pairs are added and removed at most.
  @inline(__always)
  func mayBeNear(_ other: KeySignature, longest: Int, pairs: Int) -> Bool {
    let difference = bits ^ other.bits
    // A difference in one place leaves the first or the last key unchanged.
    guard difference & Self.firsts == 0 || difference & Self.lasts == 0 else { return false }
    return abs(count - other.count) <= longest
      && (difference & Self.pairs).nonzeroBitCount <= pairs
  }
}

/// The triples of neighbouring keys, as a Bloom filter of 64 bits; read where the pairs let a text
/// pass, since IDs of a few syllables have much the same pairs.
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
