internal import Encoding
internal import HTTPServer
internal import Domain
internal import Store

/// Writes the line of each request that one worker thread answers.
final class AccessLogger {
  private let log: AccessLog
  private let buffer: AccessLogBuffer
  private let proxies: TrustedProxies
  private let worker: Worker
  private var line = AccessLogLine()

  init(_ log: AccessLog, _ proxies: TrustedProxies, _ worker: Worker) {
    self.log = log
    buffer = log.makeBuffer()
    self.proxies = proxies
    self.worker = worker
  }

  /// Writes a line.
  ///
  /// - Parameters:
  ///   - request: the request; its path and query are left out, since they may hold what is secret.
  ///   - response: the answer.
  ///   - duration: the time that it took, in nanoseconds.
  func write(_ request: Request, _ response: Response, duration: UInt64) {
    line.begin(at: worker.now)
    if worker.mayLogID(of: request) {
      request.withID { line.add("request_id", visible: $0) }
    } else {
      line.add("request_id", plain: worker.loggedID(of: request))
    }
    writeTrace(of: request)
    if let peer = request.peer { line.add("client", client(of: request, peer: peer)) }
    let method = request.method
    line.add("method", plain: method == .other ? "other" : method.name)
    line.add("route", plain: request.routePattern ?? "none")
    line.add("status", response.status)
    if let problem = worker.note.problem { line.add("problem", plain: problem.rawValue) }
    line.add("bytes", method == .head ? 0 : response.body.count)
    line.add("duration", seconds: duration)
    writeNote(worker.note, request)
    line.end()
    if buffer.append(line.bytes) { log.collect() }
  }

  private func client(of request: Request, peer: IPAddress) -> IPAddress {
    guard proxies.trusts(peer) else { return peer }
    return request.withHeaderValues("x-forwarded-for") {
      proxies.client(peer: peer, forwarded: $0)
    }
  }

  /// A request that says where it belongs is a span of its own there; two that say so say nothing.
  private func writeTrace(of request: Request) {
    let trace = request.withHeaderValues("traceparent") { values in
      values.count == 1 ? TraceParent(values[0]) : nil
    }
    guard let trace, worker.mayLog(trace, of: request) else { return }
    line.add("trace_id", plain: trace.traceID)
    line.add("span_id", hex: UInt64.random(in: 1...UInt64.max, using: &worker.generator))
    line.add("parent_span_id", plain: trace.parentID)
  }

  private func writeNote(_ note: RequestNote, _ request: Request) {
    if let keyID = note.keyID { line.add("key_id", plain: keyID.description) }
    let project = note.projectID ?? note.keyProjectID
    if let project {
      line.add("project_id", plain: project.description)
      if let userID = note.userID, let digest = digest(of: userID, in: project, request) {
        line.add("user", plain: digest)
      }
    }
    if let id = note.launchID { line.add("launch_id", plain: id.description) }
    if let result = note.verification { line.add("verification", plain: result.name) }
  }

  /// The user's name in logs; nil where the store, which has the key for it, has failed since.
  private func digest(of userID: String, in project: ProjectID, _ request: Request) -> String? {
    do {
      return try worker.reader().userDigestKey().digest(of: userID, in: project)
    } catch {
      worker.report(error, in: request)
      return nil
    }
  }
}
