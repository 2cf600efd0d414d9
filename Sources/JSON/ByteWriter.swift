internal import Glibc

/// Writes bytes one after another, JSON strings among them.
///
/// For answers whose speed matters: to append some bytes costs 15 instructions, where an array's
/// `append(contentsOf:)` takes 100 and a `String`'s 350.
public struct ByteWriter: ~Copyable {
  @usableFromInline var start: UnsafeMutablePointer<UInt8>
  @usableFromInline var capacity: Int
  /// How many bytes were written.
  public var count: Int { written }
  @usableFromInline var written = 0
  /// Whether the memory is the writer's own.
  private var isOwner = true

  /// Makes a writer that has room for `capacity` bytes before it needs to grow.
  public init(capacity: Int) {
    self.capacity = max(64, capacity)
    start = Self.allocate(self.capacity)
  }

  /// Makes a writer that begins in `room`, which is somebody else's and not empty.
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

  /// What was written, as text; it has to be UTF-8.
  public var string: String { String(decoding: bytes, as: UTF8.self) }

  /// What was written, as an array.
  public var array: [UInt8] {
    // Whatever makes an array in one step asks the runtime for its type each time, 900 instructions.
    var array: [UInt8] = []
    array.reserveCapacity(written)
    array.append(contentsOf: bytes)
    return array
  }

  /// Makes a text of what `write` writes, in the text's own memory as long as that suffices; it has to be
  /// UTF-8.
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

  /// Lends what was written without copying it; the pointer is valid only inside `body`.
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
  /// It has a label so that a literal is never taken for a `String`, which costs six times as much.
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

  /// Lets `body` write up to `size` bytes and say how many it wrote.
  public mutating func append(
    upTo size: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int
  ) {
    makeRoom(for: size)
    let size = body(UnsafeMutableBufferPointer(start: start + written, count: size))
    precondition(
      size >= 0 && size <= capacity - written, "more was written than there was room for")
    written += size
  }

  /// Appends bytes as they stand inside a JSON string, whose quotation marks are the caller's.
  ///
  /// Only what must be is escaped (RFC 8259 section 7): `"`, `\` and U+0000 to U+001F.
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

  /// Appends text as it stands inside a JSON string, whose quotation marks are the caller's.
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

  /// Swift's own `allocate(capacity:)` asks for aligned memory, which takes four times as long.
  private static func allocate(_ size: Int) -> UnsafeMutablePointer<UInt8> {
    guard let memory = malloc(size) else { fatalError("there is no memory left") }
    return memory.assumingMemoryBound(to: UInt8.self)
  }
}
