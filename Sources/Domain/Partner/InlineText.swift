internal import JSON

/// Up to 24 bytes of ASCII without NUL, stored inline.
///
/// The identifiers on a launch's way (API key, project, signing key) are such texts. A copy retains
/// nothing, and comparing or hashing one reads three words where a `String` takes 1,000
/// instructions.
struct InlineText: Sendable, Hashable {
  static let capacity = 24

  private var first: UInt64 = 0
  private var second: UInt64 = 0
  private var third: UInt64 = 0

  /// Takes `bytes`, which have been checked to be ASCII, at most 24 of them.
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

  /// A number whose lower bits depend on all bytes.
  var spread: UInt {
    let mixed = (first ^ second ^ third) &* 0x9E37_79B9_7F4A_7C15
    return UInt(truncatingIfNeeded: mixed >> 32)
  }

  /// The bytes after the text are zero.
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
