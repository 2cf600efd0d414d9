/// Takes what is read from a catalogue file business by business, so that no file need fit in memory.
public protocol CatalogCollector: AnyObject {
  /// What was put of a business before.
  func find(_ id: String) throws -> CatalogEntry?

  /// Every text that the catalogue has of a business already, whichever rule it was stored under.
  func storedTexts(of id: String) throws -> Set<String>

  /// Keeps what the file says of a business, in place of what was put of it before.
  func put(_ entry: CatalogEntry) throws
}

/// How a catalogue is written in a file.
public enum CatalogFormat: String, Sendable, CaseIterable {
  /// A header row and a row a product.
  case csv
  /// An array of businesses as the API gives them.
  case json

  /// Reads a catalogue to its end, whatever is wrong with it.
  ///
  /// - Parameters:
  ///   - source: gives the file's next bytes, none at its end: UTF-8, with or without a byte order
  ///     mark.
  ///   - categories: the keys that `category` may hold.
  ///   - collector: gets what is said of every business, where that has no fault.
  /// - Throws: `CatalogFaults` with everything that is wrong, and what `source` and `collector`
  ///   throw.
  public func read(
    from source: @escaping () throws -> [UInt8], categories: [String],
    into collector: any CatalogCollector
  ) throws {
    let bytes = try ByteReader(source)
    if let objection = bytes.objectionToEncoding {
      throw CatalogFaults(CatalogFault(line: 1, column: 1, field: "", message: objection))
    }
    let rules = BusinessRules(categories: categories)
    switch self {
    case .csv: try CatalogCSV.read(bytes, rules: rules, into: collector)
    case .json: try CatalogJSON.read(bytes, rules: rules, into: collector)
    }
  }
}

/// Something that reads catalogue files by the rules for businesses.
protocol CatalogReading {
  /// What the parts of a business may be.
  var rules: BusinessRules { get set }
  /// What is wrong so far.
  var faults: CatalogFaults { get set }
}

extension CatalogReading {
  /// Reads, and where a rule objects, reads again with everything let be that is stored of the
  /// business to the letter, such as a name from before the rule.
  mutating func reading<Result>(
    _ id: String, _ collector: any CatalogCollector, _ read: (inout Self) -> Result
  ) throws -> Result {
    let before = faults
    let result = read(&self)
    guard faults.count > before.count else { return result }
    rules.stored = try collector.storedTexts(of: id)
    defer { rules.stored = [] }
    guard !rules.stored.isEmpty else { return result }
    faults = before
    return read(&self)
  }
}
