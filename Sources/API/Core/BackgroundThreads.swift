internal import Platform
internal import Store

/// Threads for work that may take longer than an event loop may wait for it.
///
/// They are few, so that such work never takes a processor from launches for long, and begin with the first of it.
final class BackgroundThreads: Sendable {
  /// How long a client waits for such work.
  static let longestWork: Duration = .seconds(10)
  /// The error of work that nobody had time for.
  static let overloaded = StoreError(
    .unavailable, "too much is asked that takes long; it was not done in time")

  private static let count = 2
  private static let mostWaiting = 256

  private typealias Work = @Sendable (CurrentReader) -> Void

  private let store: Store
  private let queue = WorkQueue<Work>(limit: mostWaiting)
  private let started = Locked(0)

  init(_ store: Store) {
    self.store = store
  }

  deinit {
    queue.close()
  }

  /// Does work on one of the threads.
  ///
  /// - Parameters:
  ///   - work: the work, with the thread's view of the store.
  ///   - then: gets the result, on that thread, or on this one where too much waits already.
  func run<Value>(
    _ work: @escaping @Sendable (StoreReader) throws -> Value,
    then: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    let isQueued =
      hasThread
      && queue.put { reader in
        let result = Result { try work(try reader.reader()) }
        if case .failure(is StoreError) = result { reader.close() }
        then(result)
      }
    if !isQueued { then(.failure(Self.overloaded)) }
  }

  /// Whether a thread runs; starts a further one while there are fewer than there may be.
  private var hasThread: Bool {
    started.withLock { started in
      if started < Self.count, startThread({ [store, queue] in Self.run(queue, store) }) == 0 {
        started += 1
      }
      return started > 0
    }
  }

  private static func run(_ queue: WorkQueue<Work>, _ store: Store) {
    let reader = CurrentReader(of: store)
    while let work = queue.take(atMost: 1).first { work(reader) }
  }
}
