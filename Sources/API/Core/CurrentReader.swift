internal import Store

/// One thread's view of the store, opened on first use and again when the database was moved away or has failed.
final class CurrentReader {
  private let store: Store
  private var open: StoreReader?

  init(of store: Store) {
    self.store = store
  }

  /// The view.
  ///
  /// - Throws: `StoreError`.
  func reader() throws -> StoreReader {
    if let open, open.isCurrent { return open }
    let reader = try store.makeReader()
    open = reader
    return reader
  }

  /// Has the next question open the view again.
  func close() {
    open = nil
  }
}
