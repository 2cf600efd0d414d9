internal import Glibc

/// Appends bytes, among them the contents of JSON strings.
///
/// For answers on the fast path: appending some bytes takes 15 instructions, an array's
/// `append(contentsOf:)` 100 and a `String`'s 350.
public struct ByteWriter: ~Copyable {
  @usableFromInline var start: UnsafeMutablePointer<UInt8>
  @usableFromInline var capacity: Int
  /// How many bytes were written.
  public var count: Int { written }
  @usableFromInline var written = 0
  /// Whether the writer owns the memory.
  private var isOwner = true

  /// Makes a writer with room for `capacity` bytes before it has to grow.
  public init(capacity: Int) {
    self.capacity = max(64, capacity)
    start = Self.allocate(self.capacity)
  }

  /// Makes a writer that begins in `room`, which it does not own and which is not empty.
  private init(room: UnsafeMutableBufferPointer<UInt8>) {
    capacity = room.count
    if let address = room.baseAddress {
      start = address
      isOwner = false
    } else {
      start = Self.allocate(64)
    }
  }

  deinit {
    if isOwner { free(start) }
  }

  private var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: start, count: written)
  }

  /// The bytes as text; they have to be UTF-8.
  public var string: String { String(decoding: bytes, as: UTF8.self) }

  /// The bytes as an array.
  public var array: [UInt8] {
    // Every way to make an array in one step looks its type up at run time, 900 instructions.
    var array: [UInt8] = []
    array.reserveCapacity(written)
    array.append(contentsOf: bytes)
    return array
  }

  /// Makes a text of what `write` appends, in the text's own memory while that suffices; the bytes
  /// have to be UTF-8.
  public static func string(capacity: Int, _ write: (inout ByteWriter) -> Void) -> String {
    var grown: String?
    let string = String(unsafeUninitializedCapacity: capacity) { room in
      var writer = ByteWriter(room: room)
      write(&writer)
      guard writer.isOwner else { return writer.written }
      grown = writer.string
      return 0
    }
    return grown ?? string
  }

  /// Lends the bytes without copying them; the pointer is valid only inside `body`.
  @inlinable
  public borrowing func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try body(UnsafeRawBufferPointer(start: start, count: written))
  }

  /// Appends one byte.
  @inlinable
  public mutating func append(_ byte: UInt8) {
    makeRoom(for: 1)
    start[written] = byte
    written &+= 1
  }

  /// Appends bytes.
  @inlinable
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    makeRoom(for: bytes.count)
    UnsafeMutableRawPointer(start + written).copyMemory(from: source, byteCount: bytes.count)
    written &+= bytes.count
  }

  /// Appends bytes.
  @inlinable
  public mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  /// Appends ASCII text.
  @inlinable
  public mutating func append(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends text as UTF-8.
  ///
  /// The label keeps a literal from being taken for a `String`, which costs six times as much.
  @inlinable
  public mutating func append(utf8 text: String) {
    text.utf8Span.span.withUnsafeBytes { append($0) }
  }

  /// Appends a number in decimal digits.
  public mutating func append(decimal number: Int64) {
    if number < 0 { append(UInt8(ascii: "-")) }
    var rest = number.magnitude
    let digits = 20
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: digits) { buffer in
      var first = digits
      repeat {
        first -= 1
        buffer[first] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[first...]))
    }
  }

  /// Lets `body` write up to `size` bytes and return how many it wrote.
  public mutating func append(
    upTo size: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int
  ) {
    makeRoom(for: size)
    let size = body(UnsafeMutableBufferPointer(start: start + written, count: size))
    precondition(
      size >= 0 && size <= capacity - written, "more was written than there was room for")
    written += size
  }

  /// Appends bytes escaped for a JSON string; the caller writes the quotation marks.
  ///
  /// Only what has to be is escaped (RFC 8259 section 7): `"`, `\` and U+0000 to U+001F.
  public mutating func append(escaping bytes: UnsafeRawBufferPointer) {
    var from = 0
    while true {
      let end = JSON.endOfPlainText(bytes, from: from)
      append(UnsafeRawBufferPointer(rebasing: bytes[from..<end]))
      guard end < bytes.count else { return }
      append(utf8: JSON.escape(of: bytes[end]))
      from = end + 1
    }
  }

  /// Appends text escaped for a JSON string; the caller writes the quotation marks.
  public mutating func append(escaping text: String) {
    text.utf8Span.span.withUnsafeBytes { append(escaping: $0) }
  }

  @inlinable mutating func makeRoom(for size: Int) {
    if size > capacity &- written { grow(by: size) }
  }

  @usableFromInline mutating func grow(by size: Int) {
    let larger = 2 * capacity + size
    let moved = Self.allocate(larger)
    moved.update(from: start, count: written)
    if isOwner { free(start) }
    isOwner = true
    start = moved
    capacity = larger
  }

  /// Swift's own `allocate(capacity:)` requests aligned memory, which takes four times as long.
  private static func allocate(_ size: Int) -> UnsafeMutablePointer<UInt8> {
    guard let memory = malloc(size) else { fatalError("there is no memory left") }
    return memory.assumingMemoryBound(to: UInt8.self)
  }
}
