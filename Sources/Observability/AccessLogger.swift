internal import Cryptography
public import Domain
public import HTTPServer

/// Writes the access log's lines of one worker thread.
public final class AccessLogger {
  private let log: AccessLog
  private let buffer: AccessLogBuffer
  private let proxies: TrustedProxies
  private var generator = SecureRandom()
  private var line = AccessLogLine()

  /// Makes a logger; nil if there is no access log.
  ///
  /// - Parameter observation: the log and the trusted proxies.
  public init?(_ observation: Observation) {
    guard let log = observation.accessLog else { return nil }
    self.log = log
    buffer = log.makeBuffer()
    proxies = observation.trustedProxies
  }

  /// Writes a line.
  ///
  /// - Parameters:
  ///   - request: the request; its path and query are left out, since they may hold secrets.
  ///   - response: the answer.
  ///   - note: what the line says of the request besides.
  ///   - time: the time of the answer.
  ///   - duration: the time that the answer took, in nanoseconds.
  public func write(
    _ request: Request, _ response: Response, _ note: RequestNote, at time: Timestamp,
    duration: UInt64
  ) {
    line.begin(at: time)
    if note.mayLogID(of: request) {
      request.withID { line.add("request_id", visible: $0) }
    } else {
      line.add("request_id", plain: note.loggedID(of: request))
    }
    writeTrace(of: request, note)
    if let peer = request.peer { line.add("client", client(of: request, peer: peer)) }
    let method = request.method
    line.add("method", plain: method == .other ? "other" : method.name)
    line.add("route", plain: request.routePattern ?? "none")
    line.add("status", response.status)
    if let problem = note.problem { line.add("problem", plain: problem) }
    line.add("bytes", method == .head ? 0 : response.body.count)
    line.add("duration", seconds: duration)
    write(note)
    line.end()
    if buffer.append(line.bytes) { log.collect() }
  }

  private func client(of request: Request, peer: IPAddress) -> IPAddress {
    guard proxies.trusts(peer) else { return peer }
    return request.withHeaderValues("x-forwarded-for") {
      proxies.client(peer: peer, forwarded: $0)
    }
  }

  /// Adds the request's own span in the caller's trace; a request with two traces gets none.
  private func writeTrace(of request: Request, _ note: RequestNote) {
    let trace = request.withHeaderValues("traceparent") { values in
      values.count == 1 ? TraceParent(values[0]) : nil
    }
    guard let trace, note.mayLog(trace, of: request) else { return }
    line.add("trace_id", plain: trace.traceID)
    line.add("span_id", hex: UInt64.random(in: 1...UInt64.max, using: &generator))
    line.add("parent_span_id", plain: trace.parentID)
  }

  private func write(_ note: RequestNote) {
    if let keyID = note.keyID { line.add("key_id", plain: keyID.description) }
    if let project = note.projectID {
      line.add("project_id", plain: project.description)
      if let digest = note.userDigest { line.add("user", plain: digest) }
    }
    if let id = note.launchID { line.add("launch_id", plain: id.description) }
    if let result = note.verification { line.add("verification", plain: result.name) }
  }
}
