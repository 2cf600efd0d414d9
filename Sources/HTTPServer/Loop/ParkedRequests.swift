internal import Platform

/// The connections of a loop whose requests wait for their promised answers.
///
/// A promise is known by its number, which is used once: what is kept after its time finds no connection.
struct ParkedRequests {
  private var entries: [UInt64: (connection: ClientConnection, deadline: UInt64)] = [:]
  private var lastNumber: UInt64 = 0
  /// When to look for promises whose limit has passed; no limit passes earlier.
  private(set) var nextLook = UInt64.max

  /// The least time from one look to the next, in nanoseconds: a look visits all that are parked.
  private static let pause: UInt64 = 20_000_000

  /// A number for the next promise.
  mutating func makeNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  mutating func add(_ connection: ClientConnection, _ number: UInt64, until deadline: UInt64) {
    entries[number] = (connection, deadline)
    nextLook = min(nextLook, deadline)
  }

  mutating func remove(_ number: UInt64) -> ClientConnection? {
    entries.removeValue(forKey: number)?.connection
  }

  /// Removes those whose limit has passed; call it when it is time for the next look.
  mutating func removeOverdue(at now: UInt64) -> [ClientConnection] {
    let overdue = entries.filter { $0.value.deadline <= now }
    for number in overdue.keys { entries[number] = nil }
    let next = entries.values.lazy.map(\.deadline).min()
    nextLook = next.map { max($0, now + Self.pause) } ?? .max
    return overdue.values.map(\.connection)
  }

  mutating func removeAll() -> [ClientConnection] {
    defer { entries = [:] }
    return entries.values.map(\.connection)
  }

  /// How long a loop may wait for events that would wait for `milliseconds`, -1 meaning any time.
  func wait(_ milliseconds: Int32) -> Int32 {
    guard nextLook != .max else { return milliseconds }
    let now = MonotonicTime.coarse
    let left = nextLook <= now ? 0 : Int32(clamping: (nextLook - now) / 1_000_000 + 1)
    return milliseconds < 0 ? left : min(milliseconds, left)
  }
}

/// The promises of a loop that were kept and that it has not taken up yet.
final class KeptPromises: Sendable {
  private let numbers = Locked<[UInt64]>([])
  private let wake: Wakeup

  init(wake: Wakeup) {
    self.wake = wake
  }

  /// Has the loop take up a promise; may be called on any thread, also after the loop has ended.
  ///
  /// Of many, the first wakes the loop.
  func add(_ number: UInt64) {
    let isFirst = numbers.withLock { numbers in
      defer { numbers.append(number) }
      return numbers.isEmpty
    }
    if isFirst { wake.raise() }
  }

  /// Takes all; call it once ``Wakeup/lower()`` was called.
  func take() -> [UInt64] {
    numbers.withLock { numbers in
      defer { numbers = [] }
      return numbers
    }
  }
}
