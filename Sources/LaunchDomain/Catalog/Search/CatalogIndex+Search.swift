/// What to look for in a catalogue.
public struct CatalogSearch: Sendable {
  /// The text as it was typed.
  public var text: String
  /// A category's key; nil for all.
  public var category: String?
  /// Only active or only inactive ones; nil for all.
  public var isActive: Bool?
  /// The last business of the page before, by rank, name and id.
  public var after: (rank: MatchRank, name: String, id: String)?
  /// How many to find at most.
  public var limit: Int

  /// Asks for the best matches of a text.
  public init(_ text: String, limit: Int) {
    self.text = text
    self.limit = limit
  }

  /// Whether a text asks for nothing, so that the whole list is meant.
  public static func isBlank(_ text: String) -> Bool { SearchFolding.isBlank(text) }
}

/// What a search found.
public struct CatalogFinds: Sendable {
  /// The businesses: the better match first, then by name, then by id.
  public let items: [(id: String, rank: MatchRank)]
  /// Whether more come behind.
  public let hasMore: Bool
  /// How many match altogether.
  public let total: Int
}

extension CatalogIndex {
  /// Finds businesses by id, name and alias, and by initial consonants.
  ///
  /// Where nothing else matches, the last syllable is taken as unfinished; and where nothing does then,
  /// the keys for what they would have typed with the other keyboard layout on.
  public func search(_ search: CatalogSearch) -> CatalogFinds {
    guard let filter = Filter(search, in: self) else {
      return CatalogFinds(items: [], hasMore: false, total: 0)
    }
    var matches = Matches(count: count)
    let text = SearchFolding.fold(search.text)
    let others = { KeyboardLayout.otherReadings(of: search.text) }
    let ways: [(inout Matches) -> Void] = [
      { match(text, &$0) },
      { matchUnfinished(text, &$0) },
      { matches in
        for reading in others() { match(reading, &matches) }
        matches.demote()
      },
      { matches in
        for reading in others() { matchUnfinished(reading, &matches) }
        matches.demote()
      },
    ]
    var counts: [Int] = []
    for way in ways {
      way(&matches)
      counts = matches.counts { filter.passes($0, in: self) }
      if counts.contains(where: { $0 > 0 }) { break }
      matches = Matches(count: count)
    }
    return page(of: matches, counts: counts, search, filter)
  }

  /// Notes how each business matches a text whose last syllable is still being typed.
  private func matchUnfinished(_ text: [Unicode.Scalar], _ matches: inout Matches) {
    let bytes = texts.bytes
    for ending in UnfinishedSyllable.endings(of: text) {
      var before: [UInt8] = []
      for scalar in ending.before { SearchFolding.append(scalar, to: &before) }
      var pattern = Self.initials(of: before)
      SearchFolding.append(ending.initial, to: &pattern)
      var number = 0
      initials.forEachOccurrence(of: pattern) { start in
        let end = start + before.count
        guard bytes[start..<end].elementsEqual(before), ending.fits(Self.syllable(bytes[end...]))
        else { return }
        while starts[number + 1] <= start { number += 1 }
        matches.note(bytes[start - 1] >= Mark.lowest ? .prefix : .part, of: number)
      }
    }
  }

  /// Notes how each business matches a folded text.
  private func match(_ text: [Unicode.Scalar], _ matches: inout Matches) {
    guard !text.isEmpty else { return }
    var pattern: [UInt8] = []
    for scalar in text { SearchFolding.append(scalar, to: &pattern) }
    let bytes = texts.bytes
    var number = 0
    texts.forEachOccurrence(of: pattern) { offset in
      while starts[number + 1] <= offset { number += 1 }
      let isWhole = bytes[offset + pattern.count] >= Mark.lowest
      let rank: MatchRank =
        switch bytes[offset - 1] {
        case Mark.id where isWhole: .id
        case Mark.name where isWhole: .name
        case Mark.alias where isWhole: .alias
        case Mark.lowest...: .prefix
        default: .part
        }
      matches.note(rank, of: number)
    }
    if text.contains(where: Hangul.isConsonant) {
      matchInitials(of: text, pattern, &matches)
    }
  }

  /// Notes which businesses have the initial consonants.
  ///
  /// Only consonants stand for syllables; a syllable stands for itself, so that 쿠ㅍ, which is there
  /// for a moment while 쿠팡 is being typed, finds it.
  private func matchInitials(
    of text: [Unicode.Scalar], _ folded: [UInt8], _ matches: inout Matches
  ) {
    var literals: [Range<Int>] = []
    var offset = 0
    for scalar in text {
      let length = UTF8.width(scalar)
      if Hangul.isSyllable(scalar) { literals.append(offset..<offset + length) }
      offset += length
    }
    let bytes = texts.bytes
    var number = 0
    initials.forEachOccurrence(of: Self.initials(of: folded)) { start in
      while starts[number + 1] <= start { number += 1 }
      let isMatch = literals.allSatisfy { range in
        range.allSatisfy { bytes[start + $0] == folded[$0] }
      }
      guard isMatch else { return }
      let isFirst = bytes[start - 1] >= Mark.lowest
      let isWhole = isFirst && bytes[start + folded.count] >= Mark.lowest
      matches.note(
        isWhole ? .wholeInitials : isFirst ? .firstInitials : .innerInitials, of: number)
    }
  }

  private func page(
    of matches: Matches, counts: [Int], _ search: CatalogSearch, _ filter: Filter
  ) -> CatalogFinds {
    let total = counts.reduce(0, +)
    var items: [(id: String, rank: MatchRank)] = []
    let first = search.after?.rank ?? .id
    for rank in MatchRank.all where rank >= first && counts[Int(rank.value)] > 0 {
      var start = 0
      if let after = search.after, after.rank == rank {
        start = firstNumber(afterName: after.name, id: after.id)
      }
      for number in start..<count where matches.ranks[number] == rank.value {
        guard filter.passes(number, in: self) else { continue }
        if items.count == search.limit {
          return CatalogFinds(items: items, hasMore: true, total: total)
        }
        items.append((id(number), rank))
      }
    }
    return CatalogFinds(items: items, hasMore: false, total: total)
  }
}

/// Which businesses a search lets through.
private struct Filter {
  private let category: UInt32?
  private let isActive: Bool?

  /// - Returns: nil where no business is of the category.
  init?(_ search: CatalogSearch, in index: CatalogIndex) {
    isActive = search.isActive
    guard let category = search.category else {
      self.category = nil
      return
    }
    guard let number = index.categories.firstIndex(of: category) else { return nil }
    self.category = UInt32(number)
  }

  func passes(_ number: Int, in index: CatalogIndex) -> Bool {
    (category == nil || index.categoryNumbers[number] == category)
      && (isActive == nil || index.activity[number] == isActive)
  }
}

/// The best match of each business.
private struct Matches {
  private static let none = UInt8.max

  /// The value of the rank; `none` where there is no match.
  private(set) var ranks: [UInt8]

  init(count: Int) {
    ranks = [UInt8](repeating: Self.none, count: count)
  }

  mutating func note(_ rank: MatchRank, of number: Int) {
    ranks[number] = min(ranks[number], rank.value)
  }

  /// Puts every match down to the other keyboard layout.
  mutating func demote() {
    for number in ranks.indices {
      if let rank = MatchRank(Int(ranks[number])) { ranks[number] = rank.ofOtherLayout.value }
    }
  }

  /// How many there are of each rank.
  func counts(where passes: (Int) -> Bool) -> [Int] {
    var counts = [Int](repeating: 0, count: MatchRank.all.count)
    for (number, rank) in ranks.enumerated() where rank != Self.none && passes(number) {
      counts[Int(rank)] += 1
    }
    return counts
  }
}
