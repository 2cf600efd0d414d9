internal import Domain
internal import HTTPServer

extension MetricsText {
  /// Writes the worker threads' counts since the start.
  ///
  /// - Parameters:
  ///   - meters: all meters.
  ///   - storeErrorKinds: the names of the store's kinds of errors; each has a sample.
  public mutating func write(_ meters: MeterList, storeErrorKinds: [String]) {
    let counts = meters.counts()
    writeRequests(meters)
    writeLaunches(meters, counts)
    writeStore(counts, storeErrorKinds)
  }

  private mutating func writeRequests(_ meters: MeterList) {
    guard let (table, counts) = meters.requestCounts() else { return }
    let labels: (Int) -> Labels = { row in
      let (method, pattern) = table.rows[row]
      return [
        ("method", method == .other ? "other" : "\(method.name)"), ("route", pattern ?? "none"),
      ]
    }
    let rows = table.rows.indices.filter { counts.durations[$0].count > 0 }
    family(
      "launchlink_http_requests_total", .counter,
      help: "Requests to the API by method, route and status code.",
      samples: rows.flatMap { row in
        RequestMeter.Table.statuses.enumerated().compactMap { column, status in
          let count = counts.requests(row: row, column: column)
          guard count > 0 else { return nil }
          let code = status == 0 ? "other" : String(status)
          return (labels(row) + [("code", code)], Double(count))
        }
      })
    histogram(
      "launchlink_http_request_duration_seconds",
      help: "Time from when the whole request was there until its answer was ready.",
      bounds: Histogram.bounds,
      samples: rows.map { row in
        let durations = counts.durations[row]
        return (labels(row), durations.counts, Self.seconds(durations.sum))
      })
  }

  private mutating func writeLaunches(_ meters: MeterList, _ counts: Meter.Counts) {
    let launches = meters.launchTotals().map { labels, count in
      (
        labels: [
          ("project", Self.name(of: labels.project)), ("page", labels.page ?? "none"),
          ("platform", labels.platform.rawValue),
        ], value: Double(count)
      )
    }
    family(
      "launchlink_launches_total", .counter,
      help: "Launches issued, those of batches among them, by project, page and platform.",
      samples: launches.sorted { left, right in
        left.labels.map(\.1).lexicographicallyPrecedes(right.labels.map(\.1))
      })
    family(
      "launchlink_verifications_total", .counter,
      help: "Bundles judged by /verify and /verify/forward-auth, by result.",
      samples: zip(VerificationResult.allCases, counts.verifications).map { result, count in
        ([("result", result.name)], Double(count))
      })
    var limited: [String: Int] = [:]
    for (project, count) in counts.rateLimited {
      limited[Self.name(of: meters.label(of: project)), default: 0] += count
    }
    family(
      "launchlink_rate_limited_total", .counter,
      help: "Requests refused because the project's rate limit was used up, by project.",
      samples: limited.sorted { $0.key < $1.key }.map { ([("project", $0.key)], Double($0.value)) }
    )
  }

  private mutating func writeStore(_ counts: Meter.Counts, _ kinds: [String]) {
    family(
      "launchlink_store_errors_total", .counter,
      help: "Faults of the store that kept a request from its answer, by kind.",
      samples: kinds.map { ([("kind", $0)], Double(counts.storeErrors[$0] ?? 0)) })
    histogram(
      "launchlink_store_write_duration_seconds",
      help: "Time that writes took for which a request waited, waiting for other writers included.",
      bounds: Histogram.bounds,
      samples: [([], counts.writes.counts, Self.seconds(counts.writes.sum))])
  }

  private static func name(of project: MeterList.ProjectLabel) -> String {
    switch project {
    case .named(let id): id.description
    case .other: "other"
    }
  }

  private static func seconds(_ nanoseconds: UInt64) -> Double {
    Double(nanoseconds) / 1_000_000_000
  }
}
