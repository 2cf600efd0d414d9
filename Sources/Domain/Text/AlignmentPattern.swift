/// A text to which the distance of others is computed: the least number of insertions, deletions,
/// substitutions and swaps of neighbours that turn one into the other (optimal string alignment
/// distance).
///
/// Each column of the distance table is a word of 64 bits (H. Hyyrö, "A bit-vector algorithm for
/// computing Levenshtein and Damerau edit distances", 2003), so a comparison takes one step for
/// each letter of the other text.
struct AlignmentPattern {
  /// The most letters of the text.
  static let longest = 64

  private let count: Int
  /// The places of each letter.
  private var places = [UInt64](repeating: 0, count: 256)

  /// - Parameter letters: 1 to `longest` of them.
  init(_ letters: some Collection<UInt8>) {
    precondition((1...Self.longest).contains(letters.count), "there is no word for the column")
    count = letters.count
    for (place, letter) in letters.enumerated() { places[Int(letter)] |= 1 << UInt64(place) }
  }

  /// The distance of a text.
  func distance(to other: some Sequence<UInt8>) -> Int {
    let last: UInt64 = 1 << UInt64(count - 1)
    var distance = count
    // Bits for the rows where the distance grows or shrinks downwards, and where it stays along the
    // diagonal.
    var (grows, shrinks, stays) = (UInt64.max, UInt64(0), UInt64(0))
    var previous: UInt64 = 0
    for letter in other {
      let here = places[Int(letter)]
      let swapped = (~stays & here) << 1 & previous
      stays = ((here & grows) &+ grows) ^ grows | here | shrinks | swapped
      let growsAcross = shrinks | ~(stays | grows)
      let shrinksAcross = stays & grows
      if growsAcross & last != 0 { distance += 1 }
      if shrinksAcross & last != 0 { distance -= 1 }
      let next = growsAcross << 1 | 1
      grows = shrinksAcross << 1 | ~(stays | next)
      shrinks = next & stays
      previous = here
    }
    return distance
  }
}
