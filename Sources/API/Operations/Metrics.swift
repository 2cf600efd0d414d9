internal import Domain
internal import HTTPServer
internal import Observability
internal import Store

extension RequestContext {
  /// A key counts as expiring this many seconds before its end.
  private static let expiringWithin = 14 * 86_400
  /// Seconds for which the count is kept: counting takes a while with a million keys.
  private static let countLifetime = 60

  /// How many API keys are about to expire.
  fileprivate func expiringKeys() throws -> Int {
    if let known = worker.knownExpiringKeys, now < known.at.adding(seconds: Self.countLifetime) {
      return known.count
    }
    let count = try reader().knowledge.countAPIKeys(
      validAt: now, expiringBefore: now.adding(seconds: Self.expiringWithin))
    worker.knownExpiringKeys = (count, now)
    return count
  }
}

/// The text of `/metrics`: the sums of all meters, and what each scrape looks up.
struct Metrics {
  private let context: RequestContext
  private let service: LaunchService
  private let request: Request

  init(_ context: RequestContext, _ request: Request) {
    self.context = context
    self.request = request
    service = context.service
  }

  func text() -> [UInt8] {
    var text = MetricsText()
    writeProgram(to: &text)
    text.write(service.meters, storeErrorKinds: StoreError.Kind.allCases.map(\.name))
    writeSizes(to: &text)
    writeKeys(to: &text)
    writeLog(to: &text)
    text.writeProcess()
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
      try context.reader().knowledge.checkReadiness()
      return true
    } catch {
      // The metric itself reports it.
      context.worker.currentReader.close()
      return false
    }
  }

  private func writeSizes(to text: inout MetricsText) {
    do {
      let sizes = try context.reader().sizes
      text.family(
        "launchlink_database_size_bytes", .gauge, help: "Size of the database's file.",
        value: Double(sizes.database))
      text.family(
        "launchlink_database_wal_size_bytes", .gauge,
        help:
          "Size of the database's write-ahead log. One that stays large is held by a reader that stays.",
        value: Double(sizes.writeAheadLog))
    } catch {
      context.report(error, in: request)
    }
  }

  /// Without the store these metrics are missing; `launchlink_ready` is 0 then, and the error is reported.
  private func writeKeys(to text: inout MetricsText) {
    do {
      try writeKeys(
        context.reader().knowledge.signingKeys(), expiring: context.expiringKeys(), to: &text)
    } catch {
      context.report(error, in: request)
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
}

extension StoreError.Kind {
  /// The kind's name in metrics.
  var name: String {
    switch self {
    case .notFound: "not_found"
    case .alreadyExists: "already_exists"
    case .inUse: "in_use"
    case .invalid: "invalid"
    case .permission: "permission"
    case .unusable: "unusable"
    case .inputOutput: "input_output"
    case .unavailable: "unavailable"
    }
  }
}
