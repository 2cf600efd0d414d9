internal import COpenSSL

/// OpenSSL's cryptographic random numbers, fetched 256 bytes at a time (RAND_bytes(3)).
///
/// One call for 32 numbers instead of one for each, which counts where every launch draws two. It is a class, and not sendable, so that no copy can hand out the same numbers again.
public final class SecureRandom: RandomNumberGenerator {
  private var numbers = [UInt64](repeating: 0, count: 32)
  private var left = 0

  /// Makes a generator that has fetched nothing yet.
  public init() {}

  /// The next number; what was handed out is wiped.
  public func next() -> UInt64 {
    if left == 0 { fetch() }
    left -= 1
    let number = numbers[left]
    numbers[left] = 0
    return number
  }

  private func fetch() {
    let size = numbers.count * MemoryLayout<UInt64>.stride
    let isFetched = numbers.withUnsafeMutableBytes {
      RAND_bytes($0.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(size)) == 1
    }
    precondition(isFetched, "OpenSSL gives no random numbers")
    left = numbers.count
  }
}
