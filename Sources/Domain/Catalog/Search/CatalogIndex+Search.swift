/// What to search for in a catalogue.
public struct CatalogSearch: Sendable {
  /// The most characters of a text; a launch URL that was encoded twice fits.
  public static let longestText = 2048

  /// The text as it was typed.
  public var text: String
  /// A category's key; nil for all.
  public var category: String?
  /// Only active or only inactive ones; nil for all.
  public var isActive: Bool?
  /// The last business of the previous page, by rank, name and ID.
  public var after: (rank: MatchRank, name: String, id: String)?
  /// How many to find at most.
  public var limit: Int

  /// Asks for the best matches of a text.
  public init(_ text: String, limit: Int) {
    self.text = text
    self.limit = limit
  }

  /// Whether the text is empty, so that the whole list is meant.
  public static func isBlank(_ text: String) -> Bool { SearchFolding.isBlank(text) }
}

/// The result of a search.
public struct CatalogFinds: Sendable {
  /// The businesses: the better match first, then by name, then by id.
  public let items: [(id: String, rank: MatchRank)]
  /// Whether more follow.
  public let hasMore: Bool
  /// How many match altogether.
  public let total: Int
  /// How many texts were compared key by key, where the query has several words.
  public let textsCompared: Int
}

extension CatalogIndex {
  /// Finds businesses by id, name, alias, programme name and address, and by initial consonants.
  ///
  /// Only the best way of matching that finds anything counts: as typed; by the keys, ignoring
  /// punctuation, unjoined letters and an unfinished syllable; with the other keyboard layout; by
  /// every word of several; by a URL within the text; and last, nearly.
  public func search(_ search: CatalogSearch) -> CatalogFinds {
    let nothing = CatalogFinds(items: [], hasMore: false, total: 0, textsCompared: 0)
    guard let filter = Filter(search, in: self),
      search.text.unicodeScalars.prefix(CatalogSearch.longestText + 1).count
        <= CatalogSearch.longestText
    else { return nothing }
    let query = SearchQuery(search.text)
    let ways: [(inout Matches) -> Void] = [
      { matchID(query, &$0) }, { matchLiterally(query, &$0) }, { matchKeys(query, &$0) },
      { matchWords(query, &$0) }, { matchLinks(query, &$0) }, { matchNearly(query, &$0) },
    ]
    var matches = Matches(count: count)
    for way in ways {
      way(&matches)
      guard matches.areAny else { continue }
      let counts = matches.counts { filter.passes($0, in: self) }
      if counts.contains(where: { $0 > 0 }) {
        return page(of: matches, counts: counts, search, filter)
      }
      matches = Matches(count: count, textsCompared: matches.textsCompared)
    }
    return CatalogFinds(
      items: [], hasMore: false, total: 0, textsCompared: matches.textsCompared)
  }

  /// Notes the business that a link names.
  private func matchID(_ query: SearchQuery, _ matches: inout Matches) {
    guard let id = query.businessID else { return }
    let pattern = [Mark.id] + Array(id.utf8) + [Mark.name]
    texts.forEachOccurrence(of: pattern) { offset in
      if let number = starts.firstIndex(of: offset) { matches.note(.id, of: number) }
    }
  }

  /// Notes businesses whose text is, or contains, the query exactly.
  private func matchLiterally(_ query: SearchQuery, _ matches: inout Matches) {
    match(query.folded, &matches)
    keys.forEachWhole(query.keys) { number, kind in
      // Of several shops on one host, the path decides.
      if kind == .host, query.address != nil { return }
      matches.note(Self.rank(ofWhole: kind), of: number)
    }
    if let address = query.address {
      for number in addresses.businesses(at: address) { matches.note(.address, of: number) }
    }
  }

  /// Notes businesses that contain the keys of the query, with either layout.
  private func matchKeys(_ query: SearchQuery, _ matches: inout Matches) {
    // A single key says too little unless it is exactly what was typed.
    guard query.keys.count > 1 else { return matchInitialKeys(of: query, &matches) }
    var isTyped = false
    keys.forEachOccurrence(of: query.keys) { number, kind, occurrence in
      isTyped = isTyped || occurrence.isAsTyped
      matches.note(Self.rank(of: occurrence, in: kind), of: number)
    }
    if !isTyped { matchInitialKeys(of: query, &matches) }
  }

  /// Notes businesses that have the initial consonants on the query's keys.
  private func matchInitialKeys(of query: SearchQuery, _ matches: inout Matches) {
    for reading in KeyboardLayout.hangulReadings(of: query.text)
    where reading.contains(where: Hangul.isConsonant) {
      var pattern: [UInt8] = []
      for scalar in reading { SearchFolding.append(scalar, to: &pattern) }
      matchInitials(of: reading, pattern, &matches, ranks: .otherLayout)
    }
  }

  /// Notes businesses that have every word, in any of their texts and in any order.
  private func matchWords(_ query: SearchQuery, _ matches: inout Matches) {
    let compared = keys.forEachBusiness(having: query.words, rank: Self.rank(ofWord:)) {
      matches.note($1, of: $0)
    }
    matches.textsCompared += compared
  }

  /// Notes the business whose shop a URL within the text leads to; of several URLs the first that
  /// leads to one.
  private func matchLinks(_ query: SearchQuery, _ matches: inout Matches) {
    for link in query.links where link.host != query.address?.host {
      let found = addresses.businesses(at: link)
      for number in found { matches.note(.address, of: number) }
      if !found.isEmpty { return }
    }
  }

  /// Notes businesses that the query nearly matches.
  private func matchNearly(_ query: SearchQuery, _ matches: inout Matches) {
    guard let query = NearQuery(query.keys) else { return }
    keys.forEachNear(query) { number, distance in
      matches.note(distance == .letter ? .nearLetter : .nearSyllable, of: number)
    }
  }

  private static func rank(ofWhole kind: KeyIndex.Kind) -> MatchRank {
    switch kind {
    case .id: .idButPunctuation
    case .name: .nameButPunctuation
    case .alias: .aliasButPunctuation
    case .programName: .programName
    case .host: .address
    }
  }

  private static func rank(
    of occurrence: KeyOccurrence, in kind: KeyIndex.Kind
  ) -> MatchRank {
    let isOfName = kind != .programName && kind != .host
    let isAtStart = occurrence.place != .inside
    if occurrence.isAsTyped {
      return isAtStart
        ? isOfName ? .typedPrefix : .programPrefix : isOfName ? .typedPart : .programPart
    }
    guard occurrence.isFinished else {
      return isAtStart ? .unfinishedKeyboardPrefix : .unfinishedKeyboardPart
    }
    switch (occurrence.place, kind) {
    case (.whole, .id): return .keyboardID
    case (.whole, .name): return .keyboardName
    case (.whole, .alias): return .keyboardAlias
    case (.whole, _): return .keyboardProgram
    default:
      return isAtStart
        ? isOfName ? .keyboardPrefix : .keyboardProgramPrefix
        : isOfName ? .keyboardPart : .keyboardProgramPart
    }
  }

  /// The rank of a word's occurrence; nil where it ends within a character.
  private static func rank(ofWord occurrence: KeyOccurrence) -> MatchRank? {
    guard occurrence.isFinished else { return nil }
    guard occurrence.isAsTyped else { return .keyboardWords }
    return occurrence.place == .whole ? .wholeWords : .words
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

  /// Notes businesses that have the initial consonants.
  ///
  /// Only consonants stand for syllables, and a syllable stands for itself. So 쿠ㅍ, an intermediate
  /// state of typing 쿠팡, finds it.
  private func matchInitials(
    of text: [Unicode.Scalar], _ folded: [UInt8], _ matches: inout Matches,
    ranks: InitialRanks = .asTyped
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
      matches.note(isWhole ? ranks.whole : isFirst ? ranks.first : ranks.inner, of: number)
    }
  }

  private func page(
    of matches: Matches, counts: [Int], _ search: CatalogSearch, _ filter: Filter
  ) -> CatalogFinds {
    let total = counts.reduce(0, +)
    var items: [(id: String, rank: MatchRank)] = []
    let first = search.after?.rank ?? .id
    for rank in MatchRank.allCases where rank >= first && counts[Int(rank.rawValue)] > 0 {
      var start = 0
      if let after = search.after, after.rank == rank {
        start = firstNumber(afterName: after.name, id: after.id)
      }
      for number in start..<count where matches.ranks[number] == rank.rawValue {
        guard filter.passes(number, in: self) else { continue }
        if items.count == search.limit {
          return CatalogFinds(
            items: items, hasMore: true, total: total, textsCompared: matches.textsCompared)
        }
        items.append((id(number), rank))
      }
    }
    return CatalogFinds(
      items: items, hasMore: false, total: total, textsCompared: matches.textsCompared)
  }
}

/// The businesses that a search lets through.
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

/// The ranks of initial consonants.
private struct InitialRanks {
  let whole: MatchRank
  let first: MatchRank
  let inner: MatchRank

  static let asTyped = InitialRanks(
    whole: .wholeInitials, first: .firstInitials, inner: .innerInitials)
  static let otherLayout = InitialRanks(
    whole: .keyboardWholeInitials, first: .keyboardFirstInitials, inner: .keyboardInnerInitials)
}

/// The best match of each business.
private struct Matches {
  private static let none = UInt8.max

  /// The raw value of the rank; `none` where there is no match.
  private(set) var ranks: [UInt8]
  /// Whether any match was noted.
  private(set) var areAny = false
  /// How many texts were compared key by key for words.
  var textsCompared: Int

  init(count: Int, textsCompared: Int = 0) {
    ranks = [UInt8](repeating: Self.none, count: count)
    self.textsCompared = textsCompared
  }

  mutating func note(_ rank: MatchRank, of number: Int) {
    ranks[number] = min(ranks[number], rank.rawValue)
    areAny = true
  }

  /// How many matches the best way has of each rank; 0 for ranks of other ways.
  func counts(where passes: (Int) -> Bool) -> [Int] {
    var counts = [Int](repeating: 0, count: MatchRank.allCases.count)
    for (number, rank) in ranks.enumerated() where rank != Self.none && passes(number) {
      counts[Int(rank)] += 1
    }
    let best = MatchRank.allCases.first { counts[Int($0.rawValue)] > 0 }?.tier
    for rank in MatchRank.allCases where rank.tier != best { counts[Int(rank.rawValue)] = 0 }
    return counts
  }
}
