internal import Synchronization

/// How much memory the bodies of requests may take at once that are not whole yet, over all
/// connections, workers and servers that share it.
///
/// A body that comes with its head takes none: it is answered in the same moment.
public final class BodyMemory: Sendable {
  /// The limit in bytes.
  public let limit: Int

  private let used = Atomic(0)

  /// Makes an account with nothing held.
  ///
  /// - Parameter limit: How much may be held at once, in bytes.
  public init(limit: Int) {
    self.limit = limit
  }

  /// How much is held, in bytes.
  public var held: Int { used.load(ordering: .relaxed) }

  /// Takes room for a body, or none where there is not enough.
  ///
  /// - Returns: Whether it was taken.
  func reserve(_ size: Int) -> Bool {
    var held = used.load(ordering: .relaxed)
    while held + size <= limit {
      let (exchanged, original) = used.weakCompareExchange(
        expected: held, desired: held + size, ordering: .relaxed)
      if exchanged { return true }
      held = original
    }
    return false
  }

  /// Gives back what was taken.
  func release(_ size: Int) { used.subtract(size, ordering: .relaxed) }
}
