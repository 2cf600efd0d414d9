internal import COpenSSL
internal import Glibc

/// Secret bytes on a page of their own: never swapped out where the system permits locking, not in
/// core dumps, and wiped on deinitialization.
///
/// Failing to lock is not an error, since RLIMIT_MEMLOCK may be small.
///
/// Unchecked: the bytes are written before the value is shared and only read afterwards.
public final class LockedBytes: @unchecked Sendable {
  /// The number of bytes.
  public let count: Int
  private let page: UnsafeMutableRawBufferPointer

  /// Copies the bytes and wipes the original.
  ///
  /// - Throws: ``CryptographyError/libraryFailure`` where the system has no memory left.
  public init(taking bytes: inout [UInt8]) throws(CryptographyError) {
    count = bytes.count
    let size = max(count, 1)
    let memory = mmap(
      nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory, memory != MAP_FAILED else { throw .libraryFailure }
    page = UnsafeMutableRawBufferPointer(start: memory, count: size)
    madvise(memory, size, MADV_DONTDUMP)
    mlock(memory, size)
    page.copyBytes(from: bytes)
    OPENSSL_cleanse(&bytes, bytes.count)
  }

  deinit {
    OPENSSL_cleanse(page.baseAddress, page.count)
    munmap(page.baseAddress, page.count)
  }

  /// Lends the bytes, which are valid only during the call.
  ///
  /// - Parameter use: Called with the bytes; it must not keep a copy.
  /// - Returns: What `use` returns.
  /// - Throws: What `use` throws.
  public func withUnsafeBytes<Result, Failure>(
    _ use: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try use(UnsafeRawBufferPointer(rebasing: page[..<count]))
  }
}
