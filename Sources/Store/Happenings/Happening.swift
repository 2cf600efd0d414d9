internal import Domain

/// Something that users and partners do: a use, a log-out, a session, counts.
///
/// Happenings that come together are written together; see ``Store/record(_:then:)``.
public struct Happening<Value: Sendable>: Sendable {
  /// Writes it; what it returns is told once that is on disk.
  let write: @Sendable (HappeningGroup) throws -> Value
  /// Whether it is told only once the clock of launches has passed the group's moment.
  let outlastsMoment: Bool

  init(outlastsMoment: Bool = false, _ write: @escaping @Sendable (HappeningGroup) throws -> Value)
  {
    self.write = write
    self.outlastsMoment = outlastsMoment
  }
}

/// The transaction of happenings that are written together.
final class HappeningGroup {
  let rows: any ChangingRows
  /// The time of day.
  let now: Timestamp
  /// The latest moment that was asked for.
  private(set) var latestMoment: StoreMoment?
  private let time: StoreTime
  private let retention: Retention

  init(_ rows: any ChangingRows, time: StoreTime, retention: Retention) {
    self.rows = rows
    self.time = time
    self.retention = retention
    now = time.ofDay()
  }

  /// The moment of the group; every launch so far lies at or before its time.
  ///
  /// - Parameter earliest: a time that the moment may not lie before.
  /// - Returns: the moment.
  /// - Throws: the engine's error.
  func moment(past earliest: Timestamp? = nil) throws -> StoreMoment {
    if let latestMoment, latestMoment.launchTime >= earliest ?? latestMoment.launchTime {
      return latestMoment
    }
    let floor = try rows.launchFloor()
    let moment = try LaunchTime.advance(rows, time, past: max(earliest ?? floor, floor))
    if latestMoment == nil { try retention.clean(rows, at: moment, now: now) }
    latestMoment = moment
    return moment
  }
}
