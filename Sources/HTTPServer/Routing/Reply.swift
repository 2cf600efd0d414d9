/// What a handler gives for a request: an answer, or the promise of one.
public enum Reply {
  /// The answer.
  case now(Response)
  /// An answer that comes later. The event loop goes on with other connections meanwhile.
  case later(Promise)
}
