internal import Glibc

/// Many short texts in one run of bytes that is searched as a whole.
///
/// A search reads every byte, so the bytes are contiguous. It uses `memchr`, which is fastest for
/// the rarest byte, on the byte of the pattern that is rarest in this field.
struct SearchField: Sendable {
  private(set) var bytes: [UInt8] = []
  /// How often each byte occurs.
  private var frequencies = [Int](repeating: 0, count: 256)

  mutating func append(_ byte: UInt8) {
    bytes.append(byte)
    frequencies[Int(byte)] += 1
  }

  mutating func append(contentsOf added: [UInt8]) {
    bytes.append(contentsOf: added)
    for byte in added { frequencies[Int(byte)] += 1 }
  }

  /// Calls `body` with the offset of each occurrence of a pattern, in ascending order.
  ///
  /// The bytes and the pattern have to be whole characters; then every occurrence is, since UTF-8
  /// is self-synchronizing.
  func forEachOccurrence(of pattern: [UInt8], _ body: (Int) -> Void) {
    guard let pivot = pattern.indices.min(by: { rarity(pattern[$0]) < rarity(pattern[$1]) }),
      rarity(pattern[pivot]) > 0
    else { return }
    bytes.withUnsafeBytes { bytes in
      pattern.withUnsafeBytes { pattern in
        guard let start = bytes.baseAddress, let wanted = pattern.baseAddress else { return }
        var offset = pivot
        let end = bytes.count - (pattern.count - 1 - pivot)
        // A single byte is found once its pivot is.
        let isFound = { (candidate: Int) in
          pattern.count == 1 || memcmp(start + candidate, wanted, pattern.count) == 0
        }
        while offset < end,
          let found = memchr(start + offset, Int32(pattern[pivot]), end - offset)
        {
          let candidate = UnsafeRawPointer(found) - start - pivot
          if isFound(candidate) { body(candidate) }
          offset = candidate + pivot + 1
        }
      }
    }
  }

  private func rarity(_ byte: UInt8) -> Int { frequencies[Int(byte)] }
}
