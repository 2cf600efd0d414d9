public import Platform

/// The promise of an answer to a request.
///
/// A handler makes it on its event loop's thread and gives it as its reply. It stays on that thread; only the value
/// that it waits for comes from another. The request is valid until the answer is made.
public struct Promise {
  @usableFromInline let promised: any PromisedAnswer

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
  @inlinable
  public init<Value: Sendable>(
    within limit: Duration, begin: (_ keep: @escaping @Sendable (Value) -> Void) -> Void,
    finish: @escaping (Value?) -> Response
  ) {
    let value = AwaitedValue<Value>()
    begin { value.keep($0) }
    promised = AnswerOfValue(value: value, limit: limit, finish: finish)
  }

  /// How long the client waits, in nanoseconds.
  var limit: UInt64 { promised.limit.nanoseconds }

  /// Whether the value is still to come.
  ///
  /// - Parameter notice: Called when it comes, on any thread; not at all where the value is there already.
  /// - Returns: False where it is there.
  func isAwaited(noticing notice: @escaping @Sendable () -> Void) -> Bool {
    promised.isAwaited(noticing: notice)
  }

  /// Has the answer looked at once it is made.
  func whenAnswered(_ look: @escaping (Response) -> Void) { promised.look = look }

  /// Makes the answer, of the value or without; call it once, on the loop's thread.
  func makeAnswer() -> Response {
    let answer = promised.makeAnswer()
    promised.look?(answer)
    return answer
  }

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

// What follows is generic and can be inlined, so that it is compiled for the values that are promised: made at run
// time, its types cost more than all else.

/// What a promise consists of.
@usableFromInline
protocol PromisedAnswer: AnyObject {
  var limit: Duration { get }
  /// Looks at the answer.
  var look: ((Response) -> Void)? { get set }
  func isAwaited(noticing notice: @escaping @Sendable () -> Void) -> Bool
  func makeAnswer() -> Response
}

@usableFromInline
final class AnswerOfValue<Value: Sendable>: PromisedAnswer {
  @usableFromInline let value: AwaitedValue<Value>
  @usableFromInline let limit: Duration
  @usableFromInline let finish: (Value?) -> Response
  @usableFromInline var look: ((Response) -> Void)?

  @inlinable
  init(value: AwaitedValue<Value>, limit: Duration, finish: @escaping (Value?) -> Response) {
    self.value = value
    self.limit = limit
    self.finish = finish
  }

  @inlinable
  func isAwaited(noticing notice: @escaping @Sendable () -> Void) -> Bool {
    value.isAwaited(noticing: notice)
  }

  @inlinable
  func makeAnswer() -> Response { finish(value.take()) }
}

/// A value that one thread waits for and another one gives.
@usableFromInline
final class AwaitedValue<Value: Sendable>: Sendable {
  @usableFromInline
  enum State {
    /// The value is still to come; the closure is called then.
    case awaited((@Sendable () -> Void)?)
    case kept(Value)
    /// Nobody waits any more.
    case over
  }

  @usableFromInline let state = Locked<State>(.awaited(nil))

  @inlinable
  init() {}

  @inlinable
  func keep(_ value: Value) {
    let notice = state.withLock { state -> (@Sendable () -> Void)? in
      guard case .awaited(let notice) = state else { return nil }
      state = .kept(value)
      return notice
    }
    notice?()
  }

  @inlinable
  func isAwaited(noticing notice: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      guard case .awaited = state else { return false }
      state = .awaited(notice)
      return true
    }
  }

  /// The value if it is there; a later one is dropped.
  @inlinable
  func take() -> Value? {
    state.withLock { state in
      defer { state = .over }
      guard case .kept(let value) = state else { return nil }
      return value
    }
  }
}
