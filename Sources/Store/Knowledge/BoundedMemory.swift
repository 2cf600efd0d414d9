/// A memory of so many values at most, which keeps those that are used.
///
/// Values are remembered in two generations. When the younger one is full, the older one is forgotten and the younger
/// one takes its place; a value of the older generation that is asked for becomes young again.
struct BoundedMemory<Name: Hashable, Value> {
  private let limit: Int
  private var young: [Name: Value] = [:]
  private var old: [Name: Value] = [:]

  /// Makes an empty memory of at most `limit` values.
  init(limit: Int) {
    self.limit = limit
  }

  /// The value of a name, if it is remembered.
  subscript(name: Name) -> Value? {
    mutating get {
      if let value = young[name] { return value }
      guard let value = old.removeValue(forKey: name) else { return nil }
      remember(value, as: name)
      return value
    }
  }

  /// Remembers a value.
  mutating func remember(_ value: Value, as name: Name) {
    if young.count >= limit / 2 {
      old = young
      young.removeAll(keepingCapacity: true)
    }
    young[name] = value
  }
}
