internal import Cryptography
public import Domain
public import Encoding
internal import HTTPServer
internal import Observability
internal import Platform
public import Store

/// What belongs to one request: the settings that count for it, when its work began, who calls, and what is to be
/// told of it.
///
/// It lives as long as the work on its request, on the worker's thread.
public final class RequestContext {
  /// What the thread has of its own.
  let worker: Worker
  /// The same from the request's beginning to its end, whatever a reload changes meanwhile.
  public let settings: ServiceSettings
  /// What metrics and the access log tell of the request; who calls stands there.
  var note = RequestNote()
  /// When the work on the request began, in monotonic nanoseconds.
  private let start = MonotonicTime.now

  init(_ worker: Worker) {
    self.worker = worker
    settings = worker.currentSettings()
  }

  var service: LaunchService { worker.service }
  var meter: Meter { worker.meter }
  /// The time of day.
  public var now: Timestamp { service.clock() }

  /// The thread's view of the store.
  ///
  /// - Throws: `StoreError`.
  public func reader() throws -> StoreReader { try worker.reader() }

  /// Makes a change that the answer waits for.
  public func write<Value>(_ change: (Store) throws -> Value) rethrows -> Value {
    let start = MonotonicTime.now
    defer { meter.count(writeOf: MonotonicTime.now &- start) }
    return try change(service.store)
  }

  /// A new session's id.
  public func makeSessionToken() -> SessionToken { SessionToken(using: &worker.generator) }

  /// Notes that a key was accepted by the session that it began.
  public func noteUse(of key: APIKey) {
    note.keyID = key.id
    note.projectID = key.projectID
    meter.used(key.id, at: now)
  }

  /// Notes the problem that is answered.
  public func noteProblem(_ code: ProblemCode) { note.problem = code.rawValue }

  /// Tells the operator of an error, with the request's id and nothing of its content.
  ///
  /// Of many alike, the later ones are only counted.
  func report(_ error: any Error, in request: Request) {
    service.errors.tell(error, saying: (error as? StoreError)?.description) {
      noteSecrets()
      let route = request.routePattern ?? "no route"
      return
        "request \(note.loggedID(of: request)) (\(request.method.name) \(route)) failed: \(error)"
    }
  }

  /// Counts the request and its answer, and logs them.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - response: its answer.
  ///   - meter: where answers are counted.
  ///   - logger: writes the line; nil where there is no access log.
  func finish(
    _ request: Request, _ response: Response, _ meter: RequestMeter, _ logger: AccessLogger?
  ) {
    let duration = MonotonicTime.now &- start
    meter.count(request, status: response.status, duration: duration)
    guard let logger else { return }
    if request.isIDOfCaller || request.withHeader("traceparent", { $0 != nil }) { noteSecrets() }
    noteUserDigest(of: request)
    logger.write(request, response, note, at: now, duration: duration)
  }

  /// Looks up the Web API Key of a verified launch, to keep it out of the log: a verify key may have no project of its
  /// own.
  private func noteSecrets() {
    guard note.webAPIKey == nil, note.launchID != nil, let project = note.projectID else { return }
    do {
      note.webAPIKey = try reader().knowledge.webAPIKey(of: project)
    } catch {
      note.hasUnknownSecrets = true
    }
  }

  /// Looks up how logs name the user; where that fails, the line does without.
  private func noteUserDigest(of request: Request) {
    guard let userID = note.userID, let project = note.projectID else { return }
    do {
      note.userDigest = try reader().knowledge.userDigestKey().digest(of: userID, in: project)
    } catch {
      report(error, in: request)
    }
  }
}
