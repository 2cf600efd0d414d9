internal import CMicroHTTPD
internal import Platform

/// When and how an answer is sent.
enum Delivery {
  /// The request is whole.
  case whole
  /// The head is there, and the body still to come.
  case beforeBody(expectsContinue: Bool)
  /// Part of the body is there.
  case amidBody
}

/// A request that waits for its promised answer, or whose answer waits for the library to ask for it.
struct ParkedRequest {
  let promise: Promise
  let delivery: Delivery
  var answer: Response?
}

/// A parked request's connection is suspended: the library neither reads it, nor times it out, nor sees its client
/// leave. It is resumed with its answer.
extension ClientConnection {
  /// Sends a reply, or parks the request until its answer is there.
  ///
  /// - Returns: False to close the connection.
  @inline(__always)
  func give(
    _ reply: Reply, as delivery: Delivery, on connection: OpaquePointer
  ) -> Bool {
    switch reply {
    case .now(let response): send(response, as: delivery, on: connection)
    case .later(let promise): park(promise, as: delivery, on: connection)
    }
  }

  /// Makes the promised answer and resumes the connection.
  func settle() {
    guard let handle, let answer = parked?.promise.makeAnswer() else { return }
    watch.resumed(timeout: loop.settings.requestTimeout)
    if case .amidBody = parked?.delivery {
      parked = nil
      _ = send(answer, as: .amidBody, on: handle)
    } else {
      parked?.answer = answer
      phase = .kept
      // The library may read before it asks for the answer, and hangs up on a client that has closed its side.
      loop.watchReads(of: self)
    }
    MHD_resume_connection(handle)
  }

  /// Sends the promised answer once the library asks for it.
  ///
  /// - Returns: False to close the connection.
  func sendKept(on connection: OpaquePointer) -> Bool {
    guard let parked, let answer = parked.answer else { return false }
    forgetParked()
    return send(answer, as: parked.delivery, on: connection)
  }

  /// Forgets the parked request, if there is one.
  func forgetParked() {
    guard parked != nil else { return }
    parked = nil
    if !isChunked { loop.unwatchReads(of: self) }
  }

  private func send(
    _ response: Response, as delivery: Delivery, on connection: OpaquePointer
  ) -> Bool {
    switch delivery {
    case .whole:
      send(response, on: connection)
    case .beforeBody(let expectsContinue):
      answerBeforeBody(response, expectsContinue: expectsContinue, on: connection)
    case .amidBody:
      answerAndDiscardBody(response, on: connection)
    }
  }

  private func park(
    _ promise: Promise, as delivery: Delivery, on connection: OpaquePointer
  ) -> Bool {
    let number = loop.parked.makeNumber()
    let isAwaited = promise.isAwaited { [kept = loop.kept] in kept.add(number) }
    guard isAwaited else { return send(promise.makeAnswer(), as: delivery, on: connection) }
    loop.parked.add(self, number, until: MonotonicTime.now + promise.limit)
    parked = ParkedRequest(promise: promise, delivery: delivery)
    phase = .parked
    keepBody()
    watch.parked()
    MHD_suspend_connection(connection)
    return true
  }
}
