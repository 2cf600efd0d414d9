internal import Platform

/// The promise of an answer to a request.
///
/// A handler makes it on its event loop's thread and gives it as its reply. It stays on that thread; only the value
/// that it waits for comes from another. The request is valid until the answer is made.
public struct Promise {
  private let promised: Promised

  /// Begins work whose result the answer waits for.
  ///
  /// - Parameters:
  ///   - limit: How long the client waits; then `finish` is called without a value.
  ///   - begin: Begins the work, on the loop's thread, at once and without waiting. It calls its argument with the
  ///     result, on any thread, also before it returns; later calls, and calls after the limit or after the server
  ///     has stopped, have no effect.
  ///   - finish: Makes the answer, on the loop's thread, of the value, or of nil where there was none in time. The
  ///     server calls it once for each promise that it is given, also where the client has left: when the value is
  ///     there, the limit has passed or the server stops. Where chunked framing does not end, the server answers at
  ///     once, without a value unless that is there already.
  public init<Value: Sendable>(
    within limit: Duration, begin: (_ keep: @escaping @Sendable (Value) -> Void) -> Void,
    finish: @escaping (Value?) -> Response
  ) {
    let value = AwaitedValue<Value>()
    begin { value.keep($0) }
    promised = Promised(
      limit: limit.nanoseconds, isAwaited: { value.isAwaited(noticing: $0) },
      makeAnswer: { finish(value.take()) })
  }

  /// How long the client waits, in nanoseconds.
  var limit: UInt64 { promised.limit }

  /// Whether the value is still to come.
  ///
  /// - Parameter notice: Called when it comes, on any thread; not at all where the value is there already.
  /// - Returns: False where it is there.
  func isAwaited(noticing notice: @escaping @Sendable () -> Void) -> Bool {
    promised.isAwaited(notice)
  }

  /// Has the answer looked at once it is made.
  func whenAnswered(_ look: @escaping (Response) -> Void) {
    promised.makeAnswer = { [makeAnswer = promised.makeAnswer] in
      let answer = makeAnswer()
      look(answer)
      return answer
    }
  }

  /// Makes the answer, of the value or without; call it once, on the loop's thread.
  func makeAnswer() -> Response { promised.makeAnswer() }

  /// Waits for the value, and makes the answer; blocks the calling thread.
  ///
  /// Where the system has no descriptor left, it waits for nothing.
  func waitForAnswer() -> Response {
    if let kept = Wakeup(), isAwaited(noticing: { kept.raise() }) {
      _ = kept.wait(milliseconds: Int32(clamping: limit / 1_000_000))
    }
    return makeAnswer()
  }
}

/// What a promise consists of, in a class so that a reply is no larger than an answer.
private final class Promised {
  let limit: UInt64
  let isAwaited: (@escaping @Sendable () -> Void) -> Bool
  var makeAnswer: () -> Response

  init(
    limit: UInt64, isAwaited: @escaping (@escaping @Sendable () -> Void) -> Bool,
    makeAnswer: @escaping () -> Response
  ) {
    self.limit = limit
    self.isAwaited = isAwaited
    self.makeAnswer = makeAnswer
  }
}

/// A value that one thread waits for and another one gives.
private final class AwaitedValue<Value: Sendable>: Sendable {
  private enum State {
    /// The value is still to come; the closure is called then.
    case awaited((@Sendable () -> Void)?)
    case kept(Value)
    /// Nobody waits any more.
    case over
  }

  private let state = Locked<State>(.awaited(nil))

  func keep(_ value: Value) {
    let notice = state.withLock { state -> (@Sendable () -> Void)? in
      guard case .awaited(let notice) = state else { return nil }
      state = .kept(value)
      return notice
    }
    notice?()
  }

  func isAwaited(noticing notice: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      guard case .awaited = state else { return false }
      state = .awaited(notice)
      return true
    }
  }

  /// The value if it is there; a later one is dropped.
  func take() -> Value? {
    state.withLock { state in
      defer { state = .over }
      guard case .kept(let value) = state else { return nil }
      return value
    }
  }
}
