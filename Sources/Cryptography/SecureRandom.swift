internal import COpenSSL

/// OpenSSL's cryptographic random numbers, fetched 256 bytes at a time (RAND_bytes(3)).
///
/// One call serves 32 numbers, which matters since every launch draws two. It is a class and not
/// sendable, so that no copy can return the same numbers again.
public final class SecureRandom: RandomNumberGenerator {
  private var supply = Supply()

  /// Makes a generator without fetched numbers.
  public init() {}

  /// The next number, which is wiped from the buffer.
  public func next() -> UInt64 { supply.next() }

  private struct Supply {
    private var numbers = InlineArray<32, UInt64>(repeating: 0)
    private var left = 0

    mutating func next() -> UInt64 {
      if left == 0 { fetch() }
      left -= 1
      defer { numbers[left] = 0 }
      return numbers[left]
    }

    private mutating func fetch() {
      let isFetched = withUnsafeMutableBytes(of: &numbers) {
        RAND_bytes($0.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32($0.count)) == 1
      }
      precondition(isFetched, "OpenSSL gives no random numbers")
      left = numbers.count
    }
  }
}
