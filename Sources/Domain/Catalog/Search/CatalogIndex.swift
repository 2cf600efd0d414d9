/// The search index of a catalogue, in memory and immutable once it is built.
///
/// Every way of matching scans contiguous memory, so a search builds no text of a business.
public struct CatalogIndex: Sendable {
  /// Marks, bytes that UTF-8 never has, before each ID, name and alias; an `id` mark follows the
  /// last business.
  enum Mark {
    static let id: UInt8 = 0xFC
    static let name: UInt8 = 0xFD
    static let alias: UInt8 = 0xFE
    static let lowest: UInt8 = 0xF8
  }

  /// IDs, names and aliases, folded, each after its mark.
  private(set) var texts = SearchField()
  /// The same with each syllable replaced by its initial consonant: both take three bytes, so
  /// offsets are the same as in `texts`.
  private(set) var initials = SearchField()
  /// Where each business begins in `texts`, and where the last one ends.
  private(set) var starts: [Int] = []
  private(set) var names: [UInt8] = []
  private(set) var nameStarts: [Int] = [0]
  private(set) var categoryNumbers: [UInt32] = []
  private(set) var categories: [String] = []
  private(set) var activity: [Bool] = []
  private(set) var idLetters: [LetterSet] = []
  /// The keys of all that businesses are found by.
  private(set) var keys = KeyIndex()
  private(set) var addresses = AddressIndex()

  /// Makes the index of an empty catalogue.
  public init() {
    close()
  }

  /// How many businesses there are.
  public var count: Int { activity.count }

  /// Adds a business; businesses have to come in the order of name and then ID, both compared as
  /// bytes.
  public mutating func append(
    id: String, name: String, aliases: [String], programName: String?, url: String?,
    category: String, isActive: Bool
  ) {
    var folded: [UInt8] = []
    // The mark of the ID is there already: it ends the previous business.
    append(id, to: &folded, .id)
    folded.append(Mark.name)
    append(name, to: &folded, .name)
    for alias in aliases {
      folded.append(Mark.alias)
      append(alias, to: &folded, .alias)
    }
    var program: [UInt8] = []
    if let programName { append(programName, to: &program, .programName) }
    if let address = url.flatMap({ WebAddress($0) }) {
      keys.append(host: address.host)
      addresses.append(address, ofBusiness: count)
    }
    keys.endBusiness()
    idLetters.append(LetterSet(keys.id(of: count)))
    texts.append(contentsOf: folded)
    initials.append(contentsOf: Self.initials(of: folded))
    names.append(contentsOf: name.utf8)
    nameStarts.append(names.count)
    categoryNumbers.append(number(ofCategory: category))
    activity.append(isActive)
    close()
  }

  /// The ID of a business by its index in the order of names.
  func id(_ number: Int) -> String {
    String(decoding: idBytes(number), as: UTF8.self)
  }

  /// The first business that comes after this name and id.
  func firstNumber(afterName name: String, id: String) -> Int {
    let name = Array(name.utf8)
    let id = Array(id.utf8)
    var range = 0..<count
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      let own = names[nameStarts[middle]..<nameStarts[middle + 1]]
      let isAfter =
        own.elementsEqual(name)
        ? id.lexicographicallyPrecedes(idBytes(middle)) : name.lexicographicallyPrecedes(own)
      range = isAfter ? range.lowerBound..<middle : middle + 1..<range.upperBound
    }
    return range.lowerBound
  }

  /// The folded text with each syllable replaced by its initial consonant.
  static func initials(of folded: [UInt8]) -> [UInt8] {
    var result = folded
    var index = 0
    while index + 2 < folded.count {
      guard let scalar = syllable(folded[index...]), let initial = Hangul.initial(of: scalar) else {
        index += 1
        continue
      }
      for byte in UTF8.encode(initial) ?? UTF8.encodedReplacementCharacter {
        result[index] = byte
        index += 1
      }
    }
    return result
  }

  /// The Hangul syllable at the start of some bytes.
  static func syllable(_ bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
    let start = bytes.startIndex
    guard (0xEA...0xED).contains(bytes[start]) else { return nil }
    let value =
      UInt32(bytes[start] & 0x0F) << 12 | UInt32(bytes[start + 1] & 0x3F) << 6
      | UInt32(bytes[start + 2] & 0x3F)
    return Unicode.Scalar(value)
  }

  private func idBytes(_ number: Int) -> ArraySlice<UInt8> {
    texts.bytes[(starts[number] + 1)...].prefix { $0 != Mark.name }
  }

  /// Appends folded text, and its keys to those of the business.
  private mutating func append(_ text: String, to folded: inout [UInt8], _ kind: KeyIndex.Kind) {
    let start = folded.count
    SearchFolding.append(text, to: &folded)
    keys.append(folded: folded[start...], kind: kind)
  }

  /// Ends a business with the mark that begins the next one.
  private mutating func close() {
    starts.append(texts.bytes.count)
    texts.append(Mark.id)
    initials.append(Mark.id)
  }

  private mutating func number(ofCategory category: String) -> UInt32 {
    if let known = categories.firstIndex(of: category) { return UInt32(known) }
    categories.append(category)
    return UInt32(categories.count - 1)
  }
}
