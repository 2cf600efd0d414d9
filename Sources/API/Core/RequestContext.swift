internal import Cryptography
public import Domain
public import Encoding
public import HTTPServer
internal import Observability
internal import Platform
public import Store

/// What belongs to one request: its settings, its start, its caller, and what is logged of it.
///
/// It lives as long as the work on its request, on the worker's thread.
public final class RequestContext {
  /// The state of the worker thread.
  let worker: Worker
  /// The request's settings, which a reload does not change.
  public let settings: ServiceSettings
  /// What metrics and the access log record of the request, its caller included.
  var note = RequestNote()
  /// When the work on the request began, in monotonic nanoseconds.
  private let start = MonotonicTime.now

  init(_ worker: Worker) {
    self.worker = worker
    settings = worker.currentSettings()
    now = worker.service.clock()
  }

  var service: LaunchService { worker.service }
  var meter: Meter { worker.meter }
  /// The time of day when the work on the request began: all of it happens at one moment.
  public let now: Timestamp

  /// The thread's view of the store.
  ///
  /// - Throws: `StoreError`.
  public func reader() throws -> StoreReader { try worker.currentReader.reader() }

  /// Records a happening, and promises the answer that follows once it is on disk.
  ///
  /// - Parameters:
  ///   - happening: the happening.
  ///   - answer: makes the answer of the result; a failure is ``UncertainWrite``.
  /// - Returns: the promise.
  public func promise<Value>(
    recording happening: Happening<Value>,
    answer: @escaping (Result<Value, any Error>) -> Response
  ) -> Promise {
    let start = MonotonicTime.now
    return Promise(within: Store.longestWait) { keep in
      service.store.record(happening, then: keep)
    } finish: { [self] (result: Result<Value, any Error>?) in
      meter.count(writeOf: MonotonicTime.now &- start)
      return answer(
        (result ?? .failure(Self.isLate)).mapError { UncertainWrite(cause: $0) as any Error })
    }
  }

  /// Has a thread beside the event loops do work that may take long, and promises the answer that follows.
  ///
  /// - Parameters:
  ///   - work: the work, with that thread's view of the store.
  ///   - answer: makes the answer of the result.
  /// - Returns: the promise.
  public func promise<Value: Sendable>(
    of work: @escaping @Sendable (StoreReader) throws -> Value,
    answer: @escaping (Result<Value, any Error>) -> Response
  ) -> Promise {
    Promise(within: BackgroundThreads.longestWork) { keep in
      service.background.run(work, then: keep)
    } finish: { (result: Result<Value, any Error>?) in
      answer(result ?? .failure(BackgroundThreads.overloaded))
    }
  }

  private static let isLate = StoreError(
    .unavailable, "the disk took no change in time; it may still take this one")

  /// A new session's id.
  public func makeSessionToken() -> SessionToken { SessionToken(using: &worker.generator) }

  /// Notes the use of a key by the session that it began.
  public func noteUse(of key: APIKey) {
    note.keyID = key.id
    note.projectID = key.projectID
    meter.used(key.id, at: now)
  }

  /// Notes the problem that is answered.
  public func noteProblem(_ code: ProblemCode) { note.problem = code.rawValue }

  /// Tells the operator of an error, with the request's id and nothing of its content.
  ///
  /// Of many of one kind, the later ones are only counted.
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
  ///   - logger: writes the line; nil if there is no access log.
  func finish(
    _ request: Request, _ response: Response, _ meter: RequestMeter, _ logger: AccessLogger?
  ) {
    let duration = MonotonicTime.now &- start
    meter.count(request, status: response.status, duration: duration)
    guard let logger else { return }
    if request.isIDOfCaller || request.withHeader("traceparent", { $0 != nil }) { noteSecrets() }
    noteUserDigest(of: request)
    logger.write(request, response, note, at: service.clock(), duration: duration)
  }

  /// Looks up the Web API Key of the request's project, unless it is known, to keep it out of the log.
  private func noteSecrets() {
    guard note.webAPIKey == nil, let project = note.projectID else { return }
    do {
      note.webAPIKey = try reader().knowledge.webAPIKey(of: project)
    } catch {
      note.hasUnknownSecrets = true
    }
  }

  /// Looks up the user's digest for the log; if that fails, the line has none.
  private func noteUserDigest(of request: Request) {
    guard let userID = note.userID, let project = note.projectID else { return }
    do {
      note.userDigest = try reader().knowledge.userDigestKey().digest(of: userID, in: project)
    } catch {
      report(error, in: request)
    }
  }
}

/// Why a happening was not written, or why it is not known whether it was.
public struct UncertainWrite: Error {
  /// The store's error.
  public let cause: any Error
}
