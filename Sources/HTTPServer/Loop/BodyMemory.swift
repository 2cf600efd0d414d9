internal import Synchronization

/// The memory for request bodies that are still arriving, shared by the connections of one or more servers.
///
/// A body that arrives with its head takes none while it is answered at once. Where its answer is promised, it takes
/// its size, even beyond the limit.
public final class BodyMemory: Sendable {
  /// The limit in bytes.
  public let limit: Int

  private let used = Atomic(0)

  /// Makes a pool with nothing reserved.
  ///
  /// - Parameter limit: The most that may be reserved at once, in bytes.
  public init(limit: Int) {
    self.limit = limit
  }

  /// The bytes that are reserved.
  public var held: Int { used.load(ordering: .relaxed) }

  /// Reserves memory for a body, all or nothing.
  ///
  /// - Returns: False when less than `size` is left.
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

  /// Reserves memory for a body that is there already, also beyond the limit.
  func take(_ size: Int) { used.add(size, ordering: .relaxed) }

  /// Gives reserved memory back.
  func release(_ size: Int) { used.subtract(size, ordering: .relaxed) }
}
