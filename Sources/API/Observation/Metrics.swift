internal import HTTPServer
internal import Domain
internal import Store

extension Worker {
  /// How long before their end keys are said to expire.
  private static let notice = 14 * 86_400
  /// Seconds for which the number is kept: with a million keys, looking takes a while.
  private static let patience = 60

  /// How many API keys are about to expire.
  fileprivate func expiringKeys() throws -> Int {
    if let known = knownExpiringKeys, now < known.at.adding(seconds: Self.patience) {
      return known.count
    }
    let count = try reader().knowledge.countAPIKeys(
      validAt: now, expiringBefore: now.adding(seconds: Self.notice))
    knownExpiringKeys = (count, now)
    return count
  }
}

/// What `/metrics` tells: the sums of all meters, and what is looked up with each scrape.
struct Metrics {
  private let worker: Worker
  private let service: LaunchService
  private let request: Request

  init(_ worker: Worker, _ request: Request) {
    self.worker = worker
    self.request = request
    service = worker.service
  }

  func text() -> [UInt8] {
    let counts = service.meters.counts()
    var text = MetricsText()
    writeProgram(to: &text)
    writeRequests(to: &text)
    writeLaunches(counts, to: &text)
    writeStore(counts, to: &text)
    writeSizes(to: &text)
    writeKeys(to: &text)
    writeLog(to: &text)
    writeProcess(to: &text)
    return text.bytes
  }

  private func writeProgram(to text: inout MetricsText) {
    text.family(
      "launchlink_build_info", .gauge, help: "The version that runs; always 1.",
      samples: [([("version", service.observation.version)], 1)])
    text.family(
      "launchlink_ready", .gauge,
      help: "Whether launches can be issued, as /readyz says: 1 or 0.",
      value: isReady ? 1 : 0)
    if let (open, limit) = service.connections {
      text.family(
        "launchlink_http_connections", .gauge, help: "Open connections of the API's listener.",
        value: Double(open))
      text.family(
        "launchlink_http_connections_limit", .gauge,
        help: "Connections that the API's listener keeps open at most.", value: Double(limit))
    }
  }

  private var isReady: Bool {
    guard !service.isStopping else { return false }
    do {
      try worker.reader().knowledge.checkReadiness()
      return true
    } catch {
      // Said by the metric itself.
      worker.closeReader()
      return false
    }
  }

  private func writeRequests(to text: inout MetricsText) {
    guard let (table, counts) = service.meters.requestCounts() else { return }
    let labels: (Int) -> MetricsText.Labels = { row in
      let (method, pattern) = table.rows[row]
      return [
        ("method", method == .other ? "other" : "\(method.name)"), ("route", pattern ?? "none"),
      ]
    }
    let rows = table.rows.indices.filter { counts.durations[$0].count > 0 }
    text.family(
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
    text.histogram(
      "launchlink_http_request_duration_seconds",
      help: "Time from when the whole request was there until its answer was ready.",
      bounds: Histogram.bounds,
      samples: rows.map { row in
        let durations = counts.durations[row]
        return (labels(row), durations.counts, Self.seconds(durations.sum))
      })
  }

  private func writeLaunches(_ counts: Meter.Counts, to text: inout MetricsText) {
    let launches = service.meters.launchTotals().map { labels, count in
      (
        labels: [
          ("project", Self.name(of: labels.project)), ("page", labels.page ?? "none"),
          ("platform", labels.platform.rawValue),
        ], value: Double(count)
      )
    }
    text.family(
      "launchlink_launches_total", .counter,
      help: "Launches issued, those of batches among them, by project, page and platform.",
      samples: launches.sorted { left, right in
        left.labels.map(\.1).lexicographicallyPrecedes(right.labels.map(\.1))
      })
    text.family(
      "launchlink_verifications_total", .counter,
      help: "Bundles judged by /verify and /verify/forward-auth, by result.",
      samples: zip(VerificationResult.allCases, counts.verifications).map { result, count in
        ([("result", result.name)], Double(count))
      })
    var limited: [String: Int] = [:]
    for (project, count) in counts.rateLimited {
      limited[Self.name(of: service.meters.label(of: project)), default: 0] += count
    }
    text.family(
      "launchlink_rate_limited_total", .counter,
      help: "Requests refused because the project's rate limit was used up, by project.",
      samples: limited.sorted { $0.key < $1.key }.map { ([("project", $0.key)], Double($0.value)) }
    )
  }

  private func writeStore(_ counts: Meter.Counts, to text: inout MetricsText) {
    text.family(
      "launchlink_store_errors_total", .counter,
      help: "Faults of the store that kept a request from its answer, by kind.",
      samples: zip(StoreError.Kind.allCases, counts.storeErrors).map { kind, count in
        ([("kind", kind.name)], Double(count))
      })
    text.histogram(
      "launchlink_store_write_duration_seconds",
      help: "Time that writes took for which a request waited, waiting for other writers included.",
      bounds: Histogram.bounds,
      samples: [([], counts.writes.counts, Self.seconds(counts.writes.sum))])
  }

  private func writeSizes(to text: inout MetricsText) {
    do {
      let sizes = try worker.reader().sizes
      text.family(
        "launchlink_database_size_bytes", .gauge, help: "Size of the database's file.",
        value: Double(sizes.database))
      text.family(
        "launchlink_database_wal_size_bytes", .gauge,
        help:
          "Size of the database's write-ahead log. One that stays large is held by a reader that stays.",
        value: Double(sizes.writeAheadLog))
    } catch {
      worker.report(error, in: request)
    }
  }

  /// Without the store nothing is known of keys: `launchlink_ready` says so, and the operator hears.
  private func writeKeys(to text: inout MetricsText) {
    do {
      try writeKeys(
        worker.reader().knowledge.signingKeys(), expiring: worker.expiringKeys(), to: &text)
    } catch {
      worker.report(error, in: request)
    }
  }

  private func writeKeys(_ keys: [SigningKey], expiring: Int, to text: inout MetricsText) {
    text.family(
      "launchlink_api_keys_expiring", .gauge,
      help:
        "API keys that expire within 14 days and have no successor; as of a minute ago at most.",
      value: Double(expiring))
    text.family(
      "launchlink_signing_keys", .gauge, help: "Signing keys by state.",
      samples: SigningKey.State.allCases.map { state in
        ([("state", state.rawValue)], Double(keys.count { $0.state == state }))
      })
    if let active = keys.first(where: { $0.state == .active })?.activatedAt {
      text.family(
        "launchlink_active_signing_key_activated_timestamp_seconds", .gauge,
        help: "Since when the active signing key signs, in seconds since 1970.",
        value: Double(active.milliseconds) / 1000)
    }
  }

  private func writeLog(to text: inout MetricsText) {
    guard let log = service.observation.accessLog else { return }
    text.family(
      "launchlink_access_log_lines_dropped_total", .counter,
      help: "Lines of the access log that were dropped because the disk did not keep up.",
      value: Double(log.droppedLines))
  }

  private func writeProcess(to text: inout MetricsText) {
    if let figures = ProcessFigures() {
      text.family(
        "process_cpu_seconds_total", .counter,
        help: "Total user and system CPU time spent in seconds.", value: figures.processorTime)
      text.family(
        "process_resident_memory_bytes", .gauge, help: "Resident memory size in bytes.",
        value: figures.residentMemory)
      text.family(
        "process_virtual_memory_bytes", .gauge, help: "Virtual memory size in bytes.",
        value: figures.virtualMemory)
      text.family(
        "process_start_time_seconds", .gauge,
        help: "Start time of the process since unix epoch in seconds.", value: figures.startTime)
    }
    if let open = ProcessFigures.openDescriptors {
      text.family(
        "process_open_fds", .gauge, help: "Number of open file descriptors.", value: Double(open))
    }
    if let limit = ProcessFigures.largestNumberOfDescriptors {
      text.family(
        "process_max_fds", .gauge, help: "Maximum number of open file descriptors.", value: limit)
    }
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
