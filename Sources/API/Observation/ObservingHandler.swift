internal import Platform
internal import HTTPServer

/// Sees each request and its answer: counts it and how long it took, and logs it.
final class ObservingHandler: Handler {
  private let wrapped: any Handler
  private let worker: Worker
  private let meter: RequestMeter
  private let logger: AccessLogger?

  init(_ wrapped: any Handler, _ worker: Worker, _ meter: RequestMeter) {
    self.wrapped = wrapped
    self.worker = worker
    self.meter = meter
    let observation = worker.service.observation
    logger = observation.accessLog.map { AccessLogger($0, observation.trustedProxies, worker) }
  }

  func prepare(_ request: Request) -> Int { wrapped.prepare(request) }

  func admit(_ request: Request) -> Response? {
    observe(request) { wrapped.admit(request) }
  }

  func respond(to request: Request) -> Response {
    observe(request) { wrapped.respond(to: request) }
  }

  func refuse(_ request: Request, for problem: Problem) -> Response {
    observe(request) { wrapped.refuse(request, for: problem) }
  }

  private func observe(_ request: Request, _ answer: () -> Response) -> Response {
    let start = begin()
    let response = answer()
    note(response, to: request, since: start)
    return response
  }

  /// Observes an answer where there is one already.
  private func observe(_ request: Request, _ answer: () -> Response?) -> Response? {
    let start = begin()
    guard let response = answer() else { return nil }
    note(response, to: request, since: start)
    return response
  }

  private func begin() -> UInt64 {
    // Requests of other connections may have come between this one's head and its end.
    worker.note = RequestNote()
    return MonotonicTime.now
  }

  private func note(_ response: Response, to request: Request, since start: UInt64) {
    let duration = MonotonicTime.now &- start
    meter.count(request, status: response.status, duration: duration)
    logger?.write(request, response, duration: duration)
  }
}
