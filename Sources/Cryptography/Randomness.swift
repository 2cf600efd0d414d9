/// `count` bytes from `generator`.
///
/// The generator is a parameter so that tests can predict the bytes; the program passes
/// `SecureRandom`, which reads the kernel's cryptographic source.
public func randomBytes(
  _ count: Int, using generator: inout some RandomNumberGenerator
) -> [UInt8] {
  precondition(count >= 0, "a count is not negative")
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count)
  while bytes.count < count {
    let word = generator.next()
    withUnsafeBytes(of: word.littleEndian) {
      bytes.append(contentsOf: $0.prefix(count - bytes.count))
    }
  }
  return bytes
}
