extension CatalogIndex {
  /// The IDs nearest to one that no business has, nearest first and then in the order of names.
  ///
  /// Case, blanks and punctuation are ignored, and a name or an alias counts like the ID. Otherwise
  /// near means what it means in `nearest(to:in:limit:)`.
  ///
  /// - Parameters:
  ///   - id: what was given as an ID.
  ///   - onlyActive: whether to find only businesses that can be launched.
  ///   - limit: how many to find at most.
  /// - Returns: ids of the catalogue.
  public func ids(nearestTo id: String, onlyActive: Bool, limit: Int = 3) -> [String] {
    guard id.utf8.count <= 4 * AlignmentPattern.longest else { return [] }
    let query = KeySequence(query: id)
    guard (1...AlignmentPattern.longest).contains(query.count) else { return [] }
    var found = Nearest(limit: limit)
    keys.forEachWhole(query) { number, kind in
      guard !onlyActive || activity[number], kind != .programName, kind != .host else { return }
      // A name or an alias is not a typing error: it ranks after the ID itself and before all
      // others.
      found.add(number, distance: kind == .id ? -1 : 0)
    }
    let pattern = AlignmentPattern(query.keys)
    let letters = LetterSet(query.keys)
    let allowed = max(1, query.count / 3)
    for number in 0..<count where !onlyActive || activity[number] {
      let other = keys.id(of: number)
      let difference = abs(other.count - query.count)
      let isBeginning = query.count >= 2 && other.starts(with: query.keys)
      if isBeginning || (other.count >= 2 && query.keys.starts(with: other)) {
        found.add(number, distance: difference)
      } else {
        let most = min(allowed, found.worst)
        // A substitution removes one letter and adds one.
        guard difference <= most, letters.differences(from: idLetters[number]) <= 2 * most else {
          continue
        }
        let distance = pattern.distance(to: other)
        if distance <= most { found.add(number, distance: distance) }
      }
    }
    return found.numbers.map { self.id($0) }
  }
}

/// The set of letters and digits of an ID.
struct LetterSet {
  private let bits: UInt64

  init(_ keys: some Sequence<UInt8>) {
    bits = keys.reduce(0) { $0 | 1 << UInt64($1 & 63) }
  }

  /// How many letters and digits only one of the two has.
  func differences(from other: LetterSet) -> Int { (bits ^ other.bits).nonzeroBitCount }
}

/// The nearest businesses so far; they are added in the order of their numbers.
private struct Nearest {
  private let limit: Int
  private var found: [(distance: Int, number: Int)] = []

  init(limit: Int) {
    self.limit = limit
  }

  var numbers: [Int] { found.map(\.number) }
  /// The largest distance at which another business is still added.
  var worst: Int { found.count < limit ? .max : (found.last?.distance ?? .max) - 1 }

  mutating func add(_ number: Int, distance: Int) {
    guard distance <= worst, !found.contains(where: { $0.number == number }) else { return }
    let place = found.firstIndex { $0.distance > distance } ?? found.count
    found.insert((distance, number), at: place)
    if found.count > limit { found.removeLast() }
  }
}
