internal import Domain
internal import Glibc
internal import Platform

/// Writes happenings on a thread of its own, in groups: those that come while a group is written make the next one.
///
/// A group is one transaction, so it waits for the disk once, and each of its happenings is told its own result only
/// then (docs/decisions/0036-one-commit-for-many.md).
final class HappeningWriter: Sendable {
  private let scribe: Scribe
  private let hasThread = Locked(false)

  init(_ tables: any Tables, time: StoreTime, retention: Retention) {
    scribe = Scribe(tables, time: time, retention: retention)
  }

  deinit {
    scribe.queue.close()
  }

  /// Hands a happening over, and returns at once.
  ///
  /// - Parameters:
  ///   - happening: the happening.
  ///   - then: gets the result, once, on the writer's thread or on this one.
  func record<Value>(
    _ happening: Happening<Value>, then: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    guard hasThread.withLock({ startThreadIfNeeded(&$0) }) else {
      return then(.failure(Self.overloaded("The system has no thread left.")))
    }
    let entry = Entry(
      since: MonotonicTime.coarse, outlastsMoment: happening.outlastsMoment,
      write: { group in
        let value = try happening.write(group)
        return { then(.success(value)) }
      },
      fail: { then(.failure($0)) })
    if !scribe.queue.put(entry) {
      entry.fail(Self.overloaded("Too many changes wait for the disk."))
    }
  }

  private func startThreadIfNeeded(_ hasThread: inout Bool) -> Bool {
    if !hasThread { hasThread = startThread { [scribe] in scribe.run() } == 0 }
    return hasThread
  }

  private static func overloaded(_ reason: String) -> StoreError {
    StoreError(.unavailable, "\(reason) Try again.")
  }
}

/// A happening on its way to the disk.
private struct Entry: Sendable {
  /// When it was handed over, in monotonic nanoseconds.
  let since: UInt64
  let outlastsMoment: Bool
  /// Writes it; what that returns tells its result.
  let write: @Sendable (HappeningGroup) throws -> @Sendable () -> Void
  let fail: @Sendable (any Error) -> Void
}

/// The work of the writer's thread.
private final class Scribe: Sendable {
  /// The most happenings of a group: with more, one would wait noticeably for the others.
  private static let largestGroup = 1024

  private static let longestWait = UInt64(Store.longestWait / .nanoseconds(1))

  let queue = WorkQueue<Entry>(limit: 16_384)
  private let tables: any Tables
  private let time: StoreTime
  private let retention: Retention

  init(_ tables: any Tables, time: StoreTime, retention: Retention) {
    self.tables = tables
    self.time = time
    self.retention = retention
  }

  /// Writes group after group until the queue is closed and empty.
  func run() {
    while true {
      // On a busy processor the event loops go first and bring more for the group: its commit is what costs.
      sched_yield()
      let entries = queue.take(atMost: Self.largestGroup)
      if entries.isEmpty { return }
      write(entries)
    }
  }

  private func write(_ entries: [Entry]) {
    let timely = entries.filter(isTimely)
    guard !timely.isEmpty else { return }
    do {
      try commit(timely)
    } catch {
      guard timely.count > 1, Self.isOfOne(error) else {
        for entry in timely { entry.fail(error) }
        return
      }
      // The fault of one is not the fault of the others. Each by itself takes no more than twice the work in all.
      for entry in timely { write([entry]) }
    }
  }

  /// Whether somebody still waits for the entry; nobody would learn of one that is written later.
  private func isTimely(_ entry: Entry) -> Bool {
    guard MonotonicTime.coarse - entry.since > Self.longestWait else { return true }
    entry.fail(
      StoreError(
        .unavailable, "The disk did not take the changes before this one in time. Try again."))
    return false
  }

  private func commit(_ entries: [Entry]) throws {
    let (tellings, moment) = try tables.change(.request) { rows in
      let group = HappeningGroup(rows, time: time, retention: retention)
      return (try entries.map { try $0.write(group) }, group.latestMoment)
    }
    for (entry, tell) in zip(entries, tellings) where !entry.outlastsMoment { tell() }
    guard let moment, entries.contains(where: \.outlastsMoment) else { return }
    moment.wait(time)
    for (entry, tell) in zip(entries, tellings) where entry.outlastsMoment { tell() }
  }

  /// Whether an error may be that of a single happening: the database itself takes changes.
  private static func isOfOne(_ error: any Error) -> Bool {
    switch (error as? StoreError)?.kind {
    case .unavailable, .inputOutput, .permission: false
    default: true
    }
  }
}
