import COpenSSL

/// Base64 with padding and the standard alphabet (RFC 4648 section 4).
public enum Base64 {
  /// The base64 text of `bytes`.
  public static func encode(_ bytes: [UInt8]) -> String {
    bytes.withUnsafeBytes { encode($0) }
  }

  /// The base64 text of `bytes`, read where they lie.
  public static func encode(_ bytes: UnsafeRawBufferPointer) -> String {
    withEncoded(bytes) { String(decoding: $0, as: UTF8.self) }
  }

  /// Appends the base64 text of `bytes` to `output`.
  public static func encode(_ bytes: [UInt8], into output: inout [UInt8]) {
    bytes.withUnsafeBytes { encode($0, into: &output) }
  }

  /// Appends the base64 text of `bytes` to `output`, reading them where they lie.
  public static func encode(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
    withEncoded(bytes) { output.append(contentsOf: $0) }
  }

  /// The length of the base64 text of `count` bytes, plus one for the NUL that OpenSSL adds.
  public static func length(of count: Int) -> Int { (count + 2) / 3 * 4 + 1 }

  /// Writes the base64 text of `bytes` to `output`, which has room for ``length(of:)`` bytes.
  ///
  /// - Returns: The length of the text.
  public static func encode(
    _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    precondition(output.count >= length(of: bytes.count), "there is no room for the text")
    let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
    return Int(EVP_EncodeBlock(output.baseAddress, start, Int32(bytes.count)))
  }

  /// Decodes strictly: whole groups of four, padded, no white space, no bits beyond the last byte.
  ///
  /// - Returns: `nil` for any text that ``encode(_:)-([UInt8])`` does not produce.
  public static func decode(_ text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { decode(UnsafeRawBufferPointer($0)) }
  }

  /// Decodes as ``decode(_:)-(String)`` does.
  public static func decode(_ text: [UInt8]) -> [UInt8]? {
    text.withUnsafeBytes { decode($0) }
  }

  /// Decodes as ``decode(_:)-(String)`` does, reading the text where it lies.
  public static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    guard text.count.isMultiple(of: 4), let length = Int32(exactly: text.count) else { return nil }
    guard length > 0 else { return [] }
    let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
    let capacity = text.count / 4 * 3
    var isFaulty = false
    let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      let start = text.assumingMemoryBound(to: UInt8.self).baseAddress
      isFaulty = EVP_DecodeBlock(buffer.baseAddress, start, length) != capacity
      count = isFaulty ? 0 : capacity - padding
    }
    guard !isFaulty else { return nil }
    // OpenSSL ignores white space at the ends and stray bits; a text that encodes back to itself
    // has neither.
    let isCanonical = bytes.withUnsafeBytes { bytes in
      withEncoded(bytes) { $0.elementsEqual(text) }
    }
    return isCanonical ? bytes : nil
  }

  private static func withEncoded<Result>(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    let length = length(of: bytes.count)
    precondition(length < Int32.max, "base64 of over 1.5 GiB is not supported")
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { buffer in
      body(UnsafeBufferPointer(rebasing: buffer[..<encode(bytes, into: buffer)]))
    }
  }
}
