/// Collects the businesses of a catalogue file one by one, so that no file has to fit in memory.
public protocol CatalogCollector: AnyObject {
  /// The entry that was put for a business; nil where there is none.
  func find(_ id: String) throws -> CatalogEntry?

  /// Every text that the catalogue stores of a business, whichever rule it was stored under.
  func storedTexts(of id: String) throws -> Set<String>

  /// Stores the entry of a business, replacing an earlier one.
  func put(_ entry: CatalogEntry) throws
}

/// How a catalogue is written in a file.
public enum CatalogFormat: String, Sendable, CaseIterable {
  /// A header row and a row a product.
  case csv
  /// An array of businesses as the API gives them.
  case json

  /// Reads a catalogue to its end, whatever its faults.
  ///
  /// - Parameters:
  ///   - source: returns the next bytes of the file, none at its end: UTF-8, with or without a byte
  ///     order mark.
  ///   - categories: the keys that `category` may hold.
  ///   - collector: gets the entry of each business that has no fault.
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

/// A reader of catalogue files that checks the rules for businesses.
protocol CatalogReading {
  /// The rules for the parts of a business.
  var rules: BusinessRules { get set }
  /// The faults so far.
  var faults: CatalogFaults { get set }
}

extension CatalogReading {
  /// Calls `read`, and where a rule objects, once more with all texts accepted that are stored of
  /// the business, such as a name older than the rule.
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
