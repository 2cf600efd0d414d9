internal import CMicroHTTPD
internal import Glibc
internal import Platform
internal import Synchronization

/// What the supervisor sees of a connection: its socket, since when it is idle, and its deadline.
///
/// The loop writes, the supervisor reads.
final class ConnectionWatch: Sendable {
  let descriptor: Int32
  private let deadline: Atomic<UInt64>
  private let idleSince: Atomic<UInt64>
  private let openedAt: UInt64
  private let hasBegun = Atomic(false)
  /// Whether a request has begun that has not arrived as a whole.
  private let isReceiving = Atomic(false)
  /// Whether the request was answered before all of it arrived.
  private let isAnswered = Atomic(false)
  /// When the client was first seen to have closed its side; the loop does not touch it.
  private let endSeenAt = Atomic<UInt64>(0)

  init(descriptor: Int32, idle timeout: UInt64) {
    self.descriptor = descriptor
    openedAt = MonotonicTime.coarse
    deadline = Atomic(openedAt + timeout)
    idleSince = Atomic(MonotonicTime.now)
  }

  /// Notes the start of a request; its answer has to be sent within the time-out.
  ///
  /// The connection counts as idle from now until the head is whole.
  func begin(timeout: UInt64) {
    let now = MonotonicTime.coarse
    idleSince.store(now, ordering: .relaxed)
    deadline.store(now + timeout, ordering: .relaxed)
    hasBegun.store(true, ordering: .relaxed)
    isReceiving.store(true, ordering: .relaxed)
  }

  /// Notes that the head is whole.
  func receivedHead() { idleSince.store(0, ordering: .relaxed) }

  /// Notes an answer before the end of the request; the connection counts as idle.
  func answered() {
    isAnswered.store(true, ordering: .relaxed)
    isReceiving.store(false, ordering: .relaxed)
    idleSince.store(MonotonicTime.now, ordering: .relaxed)
  }

  /// Notes that the server waits for no more of the request.
  func received() { isReceiving.store(false, ordering: .relaxed) }

  /// Notes that the answer is promised: until it is there, no time-out ends the connection.
  func parked() {
    isReceiving.store(false, ordering: .relaxed)
    deadline.store(.max, ordering: .relaxed)
  }

  /// Notes that the promised answer is there; it has to be sent within the time-out.
  func resumed(timeout: UInt64) {
    deadline.store(MonotonicTime.coarse + timeout, ordering: .relaxed)
  }

  /// Notes the end of a request; the next one has to begin within the time-out.
  func end(timeout: UInt64) {
    isReceiving.store(false, ordering: .relaxed)
    isAnswered.store(false, ordering: .relaxed)
    // The precise clock: of many that become idle within one coarse tick, the first makes room first.
    let now = MonotonicTime.now
    deadline.store(now + timeout, ordering: .relaxed)
    idleSince.store(now, ordering: .relaxed)
  }

  func isOverdue(at now: UInt64) -> Bool { deadline.load(ordering: .relaxed) <= now }

  /// Whether the connection is young and without a request: its first one, or the handshake, may be under way.
  func isNew(at now: UInt64) -> Bool {
    !hasBegun.load(ordering: .relaxed) && now < openedAt + ConnectionWatch.newness
  }

  private static let newness: UInt64 = 2_000_000_000

  /// Whether the client closed its side before its request was whole.
  ///
  /// It has to be seen twice half a second apart, since the loop may be reading the end of the request.
  func isAbandoned(at now: UInt64) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(CHTTP_POLLRDHUP), revents: 0)
    guard isReceiving.load(ordering: .relaxed), poll(&entry, 1, 0) == 1, !hasUnread else {
      endSeenAt.store(0, ordering: .relaxed)
      return false
    }
    let seen = endSeenAt.load(ordering: .relaxed)
    if seen == 0 { endSeenAt.store(now, ordering: .relaxed) }
    return seen != 0 && now >= seen + 500_000_000
  }

  /// When the connection became idle, in nanoseconds; nil while it is busy or has sent bytes that are still to be
  /// answered.
  var idle: UInt64? {
    let since = idleSince.load(ordering: .relaxed)
    return since == 0 || isSending ? nil : since
  }

  /// Whether the client has sent bytes that are still to be read and answered.
  var isSending: Bool { !isAnswered.load(ordering: .relaxed) && hasUnread }

  /// Whether the client has sent bytes that are still to be read.
  var hasUnread: Bool { hasUnreadBytes(descriptor) }

  /// Shuts the socket down; the loop then closes the connection.
  ///
  /// Call it only while the registry is locked: once the watch has left the registry, the loop closes the socket
  /// and the system may reuse its descriptor.
  func shutDown() {
    idleSince.store(0, ordering: .relaxed)
    deadline.store(.max, ordering: .relaxed)
    // The only possible failure, ENOTCONN, means that the connection is over already.
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
  }
}

/// Whether a socket has received bytes that are still to be read.
func hasUnreadBytes(_ descriptor: Int32) -> Bool {
  var count: Int32 = 0
  return ioctl(descriptor, UInt(FIONREAD), &count) == 0 && count > 0
}

extension Duration {
  /// The duration in nanoseconds; 0 for a negative one.
  var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return UInt64(min(seconds, 1_000_000_000)) * 1_000_000_000
      + UInt64(attoseconds / 1_000_000_000)
  }
}
