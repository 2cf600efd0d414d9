internal import COpenSSL
internal import Glibc

/// Secret bytes on a page of their own: never swapped out where the system allows to lock it, in no core
/// file, and wiped at their end.
///
/// Not to be able to lock is no fault: RLIMIT_MEMLOCK may be small.
///
/// Unchecked: the bytes are written before anyone else has them, and then only read.
public final class LockedBytes: @unchecked Sendable {
  /// How many there are.
  public let count: Int
  private let page: UnsafeMutableRawBufferPointer

  /// Takes the bytes over, and wipes them where they were.
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

  /// Gives the bytes, which are valid only during the call.
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
