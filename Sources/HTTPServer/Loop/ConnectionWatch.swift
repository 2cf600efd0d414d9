internal import CMicroHTTPD
internal import Glibc
internal import Platform
internal import Synchronization

/// What the supervisor may know of a connection: its socket, since when it is idle, when its time is
/// up.
///
/// The loop writes, the supervisor reads.
final class ConnectionWatch: Sendable {
  let descriptor: Int32
  private let deadline: Atomic<UInt64>
  private let idleSince: Atomic<UInt64>
  private let openedAt: UInt64
  private let hasBegun = Atomic(false)
  /// Whether a request is coming that is not all there.
  private let isReceiving = Atomic(false)
  /// Whether the request was answered before all of it has come.
  private let isAnswered = Atomic(false)
  /// When the client was first seen to send no more; only the supervisor's side touches it.
  private let endSeenAt = Atomic<UInt64>(0)

  init(descriptor: Int32, idle timeout: UInt64) {
    self.descriptor = descriptor
    openedAt = MonotonicTime.coarse
    deadline = Atomic(openedAt + timeout)
    idleSince = Atomic(MonotonicTime.now)
  }

  /// A request has begun, which must be over, answer and all, within the time-out.
  ///
  /// Until its head is whole the connection counts as idle, from now on.
  func begin(timeout: UInt64) {
    let now = MonotonicTime.coarse
    idleSince.store(now, ordering: .relaxed)
    deadline.store(now + timeout, ordering: .relaxed)
    hasBegun.store(true, ordering: .relaxed)
    isReceiving.store(true, ordering: .relaxed)
  }

  /// The head of the request is whole.
  func receivedHead() { idleSince.store(0, ordering: .relaxed) }

  /// The request was answered, though more of it comes; the connection is as good as idle.
  func answered() {
    isAnswered.store(true, ordering: .relaxed)
    isReceiving.store(false, ordering: .relaxed)
    idleSince.store(MonotonicTime.now, ordering: .relaxed)
  }

  /// Nothing of the request is waited for any more.
  func received() { isReceiving.store(false, ordering: .relaxed) }

  /// A request is over, and the next one must begin within the time-out.
  func end(timeout: UInt64) {
    isReceiving.store(false, ordering: .relaxed)
    isAnswered.store(false, ordering: .relaxed)
    // Precise, since many may become idle within one tick and the first of them makes room first.
    let now = MonotonicTime.now
    deadline.store(now + timeout, ordering: .relaxed)
    idleSince.store(now, ordering: .relaxed)
  }

  func isOverdue(at now: UInt64) -> Bool { deadline.load(ordering: .relaxed) <= now }

  /// Whether the connection has just come and its first request, or handshake, may be under way.
  func isNew(at now: UInt64) -> Bool {
    !hasBegun.load(ordering: .relaxed) && now < openedAt + ConnectionWatch.newness
  }

  private static let newness: UInt64 = 2_000_000_000

  /// Whether the client has gone, or at least sends no more, before its request was whole.
  ///
  /// It counts when it is seen twice half a second apart, since the loop may just be reading the
  /// last of the request.
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

  /// When the connection became idle, in nanoseconds; nil while it is not, or has sent something
  /// that is to be read yet.
  var idle: UInt64? {
    let since = idleSince.load(ordering: .relaxed)
    return since == 0 || isSending ? nil : since
  }

  /// Whether the client has sent something that is to be read and answered yet.
  var isSending: Bool { !isAnswered.load(ordering: .relaxed) && hasUnread }

  /// Whether the client has sent something that was not read yet.
  var hasUnread: Bool { hasUnreadBytes(descriptor) }

  /// Ends the connection; the loop sees its end and frees it.
  ///
  /// Only valid while the registry that holds this watch is locked, since the loop closes the
  /// socket, and the system may give its number away again, right after it has left the registry.
  func shutDown() {
    idleSince.store(0, ordering: .relaxed)
    deadline.store(.max, ordering: .relaxed)
    // ENOTCONN, the only failure there can be, means that the connection is over already.
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
  }
}

/// Whether a socket has received bytes that were not read yet.
func hasUnreadBytes(_ descriptor: Int32) -> Bool {
  var count: Int32 = 0
  return ioctl(descriptor, UInt(FIONREAD), &count) == 0 && count > 0
}

extension Duration {
  /// The duration in nanoseconds; none for a negative one.
  var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return UInt64(min(seconds, 1_000_000_000)) * 1_000_000_000
      + UInt64(attoseconds / 1_000_000_000)
  }
}
