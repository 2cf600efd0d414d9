internal import JSON

/// Up to 24 bytes of ASCII without NUL, held where the value lies.
///
/// What a launch names on its way (key, project, signing key) is such a text: copying one counts no
/// references, and comparing or hashing one takes three words where a `String` takes 1,000
/// instructions.
struct InlineText: Sendable, Hashable {
  static let capacity = 24

  private var first: UInt64 = 0
  private var second: UInt64 = 0
  private var third: UInt64 = 0

  /// Takes `bytes`, which are checked to be ASCII of at most 24 bytes already.
  init(_ bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count <= Self.capacity, "an inline text has 24 bytes at most")
    withUnsafeMutableBytes(of: &self) { $0.copyMemory(from: bytes) }
  }

  init(_ text: some StringProtocol) {
    var text = String(text)
    self = text.withUTF8 { InlineText(UnsafeRawBufferPointer($0)) }
  }

  /// Lends the bytes; the pointer is valid only inside `body`.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    withUnsafeBytes(of: self) { bytes in
      body(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    }
  }

  var text: String {
    withBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// A number in whose lower bits all bytes have a part.
  var spread: UInt {
    let mixed = (first ^ second ^ third) &* 0x9E37_79B9_7F4A_7C15
    return UInt(truncatingIfNeeded: mixed >> 32)
  }

  /// What follows the last byte is zero.
  private var count: Int {
    let last = third != 0 ? third : second != 0 ? second : first
    let before = third != 0 ? 16 : second != 0 ? 8 : 0
    return before + 8 - UInt64(littleEndian: last).leadingZeroBitCount / 8
  }
}

extension ByteWriter {
  mutating func append(_ text: InlineText) {
    text.withBytes { append($0) }
  }
}
