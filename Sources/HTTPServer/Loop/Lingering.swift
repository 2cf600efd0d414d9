internal import CMicroHTTPD
internal import Glibc
internal import Platform

/// Sockets of connections that were answered and closed while the client was still sending.
///
/// Closing a socket with unread bytes resets the connection, and the client may lose the answer with it (RFC 9112
/// section 9.6). So what still arrives is read and discarded for some seconds.
final class Lingering: Sendable {
  private static let limit = 64
  private static let duration: UInt64 = 5_000_000_000
  private static let largestDiscard = 8 << 20

  private struct Entry {
    let descriptor: Int32
    let deadline: UInt64
    var discarded = 0
  }

  private let entries = Locked<[Entry]>([])

  deinit {
    entries.withLock { for entry in $0 { close(entry.descriptor) } }
  }

  /// Whether a client is still to receive part of its answer.
  var hasUnsent: Bool {
    entries.withLock { entries in
      entries.contains { entry in
        var count: Int32 = 0
        return ioctl(entry.descriptor, UInt(TIOCOUTQ), &count) == 0 && count > 0
      }
    }
  }

  /// The sockets, for polling.
  var descriptors: [Int32] { entries.withLock { $0.map(\.descriptor) } }

  /// Keeps a duplicate of a socket that is about to be closed.
  ///
  /// - Returns: False when there are too many already, or no descriptor is left.
  func add(_ descriptor: Int32) -> Bool {
    entries.withLock { entries in
      guard entries.count < Lingering.limit else { return false }
      let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
      guard copy >= 0 else { return false }
      // It fails only when the client has gone and nobody waits for the end of the answer.
      _ = shutdown(copy, Int32(SHUT_WR))
      entries.append(
        Entry(descriptor: copy, deadline: MonotonicTime.coarse + Lingering.duration))
      return true
    }
  }

  /// Discards what arrived, and closes sockets that are done or have reached a limit.
  func discard(using scratch: UnsafeMutableRawBufferPointer) {
    let now = MonotonicTime.coarse
    entries.withLock { entries in
      entries.removeAll { entry in
        guard now < entry.deadline, entry.discarded < Lingering.largestDiscard else {
          close(entry.descriptor)
          return true
        }
        return false
      }
      for index in entries.indices.reversed() {
        let count = recv(
          entries[index].descriptor, scratch.baseAddress, scratch.count,
          Int32(MSG_DONTWAIT))
        if count > 0 {
          entries[index].discarded += count
        } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
          close(entries.remove(at: index).descriptor)
        }
      }
    }
  }
}
