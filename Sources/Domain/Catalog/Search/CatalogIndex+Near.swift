extension CatalogIndex {
  /// The ids that are nearest to one that no business has, nearest first and then in the order of names.
  ///
  /// Case, blanks and punctuation do not count, and a name or an alias is as good as the id. Else near is
  /// what `nearest(to:in:limit:)` takes for near.
  ///
  /// - Parameters:
  ///   - id: what was given for an id.
  ///   - onlyActive: whether only those that can be launched are wanted.
  ///   - limit: how many are given at most.
  /// - Returns: ids of the catalogue.
  public func ids(nearestTo id: String, onlyActive: Bool, limit: Int = 3) -> [String] {
    guard id.utf8.count <= 4 * AlignmentPattern.longest else { return [] }
    let query = KeySequence(query: id)
    guard (1...AlignmentPattern.longest).contains(query.count) else { return [] }
    var found = Nearest(limit: limit)
    keys.forEachWhole(query) { number, kind in
      guard !onlyActive || activity[number], kind != .programName, kind != .host else { return }
      // A name or an alias is no slip of the fingers: it comes behind the id, before all others.
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
        // A letter that is another takes one away and brings one.
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

/// Which letters and digits an id has.
struct LetterSet {
  private let bits: UInt64

  init(_ keys: some Sequence<UInt8>) {
    bits = keys.reduce(0) { $0 | 1 << UInt64($1 & 63) }
  }

  /// How many only one of the two has.
  func differences(from other: LetterSet) -> Int { (bits ^ other.bits).nonzeroBitCount }
}

/// The nearest businesses so far, which are added in the order of their numbers.
private struct Nearest {
  private let limit: Int
  private var found: [(distance: Int, number: Int)] = []

  init(limit: Int) {
    self.limit = limit
  }

  var numbers: [Int] { found.map(\.number) }
  /// The distance that one more may have.
  var worst: Int { found.count < limit ? .max : (found.last?.distance ?? .max) - 1 }

  mutating func add(_ number: Int, distance: Int) {
    guard distance <= worst, !found.contains(where: { $0.number == number }) else { return }
    let place = found.firstIndex { $0.distance > distance } ?? found.count
    found.insert((distance, number), at: place)
    if found.count > limit { found.removeLast() }
  }
}
