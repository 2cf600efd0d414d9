public import Domain
internal import HTTPServer
internal import Platform

/// The meters of all worker threads, and their sums.
public final class MeterList: Sendable {
  /// The labels of launches in metrics; a key would be a label without bound.
  struct LaunchLabels: Hashable {
    let project: ProjectLabel
    let page: String?
    let platform: Platform
  }

  /// A project's label: the first ones have their ids, the rest share one.
  enum ProjectLabel: Hashable {
    case named(ProjectID)
    case other
  }

  /// The most projects that metrics tell apart; the rest are counted together.
  static let largestNumberOfProjects = 1000

  private struct State {
    var meters: [Meter] = []
    var requestMeters: [RequestMeter] = []
    var projects: Set<ProjectID> = []
    var launches: [LaunchLabels: Int] = [:]
    var undrained = Usage()

    mutating func label(of project: ProjectID) -> ProjectLabel {
      if projects.contains(project) { return .named(project) }
      guard projects.count < largestNumberOfProjects else { return .other }
      projects.insert(project)
      return .named(project)
    }

    mutating func collectUsage() {
      for meter in meters {
        let usage = meter.drainUsage()
        for (tally, count) in usage.launches {
          let labels = LaunchLabels(
            project: label(of: tally.projectID), page: tally.page, platform: tally.platform)
          launches[labels, default: 0] += count
        }
        undrained.merge(usage)
      }
    }
  }

  private let state = Locked(State())

  /// Makes an empty list.
  public init() {}

  /// Makes a meter of the list.
  public func makeMeter() -> Meter {
    let meter = Meter()
    state.withLock { $0.meters.append(meter) }
    return meter
  }

  /// Makes a meter of requests of the list; all have the same table.
  public func makeRequestMeter(_ table: RequestMeter.Table) -> RequestMeter {
    let meter = RequestMeter(table)
    state.withLock { $0.requestMeters.append(meter) }
    return meter
  }

  /// The usage since the last call.
  public func drainUsage() -> Usage {
    state.withLock { state in
      state.collectUsage()
      defer { state.undrained = Usage() }
      return state.undrained
    }
  }

  /// The launches issued since the start.
  func launchTotals() -> [LaunchLabels: Int] {
    state.withLock { state in
      state.collectUsage()
      return state.launches
    }
  }

  /// The sums of what all meters count of keys, verifications and the store.
  func counts() -> Meter.Counts {
    state.withLock { state in
      state.meters.reduce(into: Meter.Counts()) { sum, meter in sum.add(meter.current) }
    }
  }

  /// The sums of all meters of requests; nil while there is none.
  func requestCounts() -> (table: RequestMeter.Table, counts: RequestMeter.Counts)? {
    state.withLock { state in
      guard let table = state.requestMeters.first?.table else { return nil }
      return (
        table,
        state.requestMeters.reduce(into: RequestMeter.Counts(table)) { sum, meter in
          sum.add(meter.current)
        }
      )
    }
  }

  /// The label of a project in metrics.
  func label(of project: ProjectID) -> ProjectLabel {
    state.withLock { $0.label(of: project) }
  }
}

extension Meter.Counts {
  fileprivate mutating func add(_ other: Meter.Counts) {
    for place in verifications.indices { verifications[place] += other.verifications[place] }
    storeErrors.merge(other.storeErrors, uniquingKeysWith: +)
    writes.add(other.writes)
    rateLimited.merge(other.rateLimited, uniquingKeysWith: +)
  }
}
