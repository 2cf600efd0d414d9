internal import HTTPServer
internal import Domain

/// The meters of all worker threads, and what they sum up to.
///
/// Unchecked: everything that changes is touched under the lock only.
final class MeterList: @unchecked Sendable {
  /// What launches are counted by in metrics; a key would be a label without bound.
  struct LaunchLabels: Hashable {
    let project: ProjectLabel
    let page: String?
    let platform: Platform
  }

  /// A project by its id as long as there are few.
  enum ProjectLabel: Hashable {
    case named(ProjectID)
    case other
  }

  /// How many projects metrics tell apart; what is of others is counted together.
  static let largestNumberOfProjects = 1000

  private let lock = Lock()
  private var meters: [Meter] = []
  private var requestMeters: [RequestMeter] = []
  private var projects: Set<ProjectID> = []
  private var launches: [LaunchLabels: Int] = [:]
  private var undrained = Usage()

  /// Makes a meter that is summed up with the others.
  func makeMeter() -> Meter {
    let meter = Meter()
    lock.withLock { meters.append(meter) }
    return meter
  }

  /// Makes a meter of requests that is summed up with the others of the same table.
  func makeRequestMeter(_ table: RequestMeter.Table) -> RequestMeter {
    let meter = RequestMeter(table)
    lock.withLock { requestMeters.append(meter) }
    return meter
  }

  /// What was counted since the last call.
  func drainUsage() -> Usage {
    lock.withLock {
      collectUsage()
      defer { undrained = Usage() }
      return undrained
    }
  }

  /// What was issued since the start.
  func launchTotals() -> [LaunchLabels: Int] {
    lock.withLock {
      collectUsage()
      return launches
    }
  }

  /// What all meters have counted of keys, verifications and the store.
  func counts() -> Meter.Counts {
    lock.withLock {
      meters.reduce(into: Meter.Counts()) { sum, meter in sum.add(meter.current) }
    }
  }

  /// What all meters have counted of requests; nil before the first one.
  func requestCounts() -> (table: RequestMeter.Table, counts: RequestMeter.Counts)? {
    lock.withLock {
      guard let table = requestMeters.first?.table else { return nil }
      return (
        table,
        requestMeters.reduce(into: RequestMeter.Counts(table)) { sum, meter in
          sum.add(meter.current)
        }
      )
    }
  }

  /// How metrics name a project; the first ones keep their names.
  func label(of project: ProjectID) -> ProjectLabel {
    lock.withLock { knownLabel(of: project) }
  }

  private func knownLabel(of project: ProjectID) -> ProjectLabel {
    if projects.contains(project) { return .named(project) }
    guard projects.count < Self.largestNumberOfProjects else { return .other }
    projects.insert(project)
    return .named(project)
  }

  private func collectUsage() {
    for meter in meters {
      let usage = meter.drainUsage()
      for (tally, count) in usage.launches {
        let labels = LaunchLabels(
          project: knownLabel(of: tally.projectID), page: tally.page, platform: tally.platform)
        launches[labels, default: 0] += count
      }
      undrained.merge(usage)
    }
  }
}

extension Meter.Counts {
  fileprivate mutating func add(_ other: Meter.Counts) {
    for place in verifications.indices { verifications[place] += other.verifications[place] }
    for place in storeErrors.indices { storeErrors[place] += other.storeErrors[place] }
    writes.add(other.writes)
    rateLimited.merge(other.rateLimited, uniquingKeysWith: +)
  }
}
