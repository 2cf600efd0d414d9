/// A SHA-256 or HMAC-SHA256 value: 32 bytes, held inline.
///
/// It is not `Equatable` on purpose: digests are compared by ``constantTimeEqual(_:_:)``, whose
/// duration does not depend on how many bytes agree.
public struct Digest: Sendable {
  /// The number of bytes in every digest.
  public static let byteCount = 32

  @usableFromInline var storage = InlineArray<32, UInt8>(repeating: 0)

  init() {}

  /// Makes a digest of its bytes; `nil` unless there are exactly 32.
  public init?(bytes: [UInt8]) {
    guard let digest = bytes.withUnsafeBytes({ Digest(bytes: $0) }) else { return nil }
    self = digest
  }

  /// Makes a digest of its bytes without an array; `nil` unless there are exactly 32.
  public init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.byteCount else { return nil }
    Swift.withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: bytes) }
  }

  /// The 32 bytes as an array.
  public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

  /// 64 lower-case hexadecimal digits.
  public var hex: String { withUnsafeBytes { Hex.encode($0) } }

  /// Lends the 32 bytes without copying them; the pointer is valid only inside `body`.
  @inlinable
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try Swift.withUnsafeBytes(of: storage) { (bytes) throws(Failure) in try body(bytes) }
  }

  /// Lets `body` write all 32 bytes.
  static func filled(by body: (UnsafeMutablePointer<UInt8>) -> Void) -> Digest {
    var digest = Digest()
    var bytes = digest.storage.mutableSpan
    bytes.withUnsafeMutableBufferPointer { buffer in
      if let start = buffer.baseAddress { body(start) }
    }
    return digest
  }
}
