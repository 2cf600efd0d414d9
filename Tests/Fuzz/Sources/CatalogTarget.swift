import Domain
import JSON

/// A catalogue in CSV; see `checkCatalog`.
struct CatalogCSVTarget: FuzzTarget {
  func run(_ input: [UInt8]) throws { try checkCatalog(.csv, input) }
}

/// A catalogue in JSON; see `checkCatalog`.
struct CatalogJSONTarget: FuzzTarget {
  func run(_ input: [UInt8]) throws { try checkCatalog(.json, input) }
}

/// However a file comes in pieces, the same is read; what is read exports and imports to the same.
private func checkCatalog(_ format: CatalogFormat, _ input: [UInt8]) throws {
  let whole = try read(format, input, pieces: 1 << 16)
  let pieces = try read(format, input, pieces: 7)
  require(pieces == whole, "in pieces: \(pieces), as a whole: \(whole)")
  guard case .businesses(let businesses, let content, _) = whole, !businesses.isEmpty else {
    return
  }
  for format in CatalogFormat.allCases {
    var writer = CatalogWriter(format)
    var output = writer.start
    for business in businesses { writer.append(business, to: &output) }
    output += writer.end
    guard case .businesses(_, let again, _) = try read(format, output, pieces: 1000) else {
      fatalError("the export is refused: \(output.text)")
    }
    require(again == content, "exported and imported, \(content) became \(again)")
  }
}

private enum Reading: Equatable {
  /// What was read of businesses that are said whole, and their bytes as JSON: Swift's own `==` is blind
  /// to how letters are composed. All that was read stands behind.
  case businesses([Business], [[UInt8]], of: [CatalogEntry])
  case faults(String)
}

private func read(
  _ format: CatalogFormat, _ bytes: [UInt8], pieces size: Int
) throws -> Reading {
  let collected = Collected()
  var rest = bytes[...]
  do {
    try format.read(
      from: {
        defer { rest = rest.dropFirst(size) }
        return Array(rest.prefix(size))
      }, categories: ["beauty", "etc"], into: collected)
  } catch let faults as CatalogFaults {
    return .faults(faults.description)
  }
  let businesses = collected.entries.compactMap { entry -> Business? in
    do throws(CatalogFaults) {
      return try entry.merged(into: nil, now: Fixtures.now)
    } catch {
      return nil
    }
  }
  return .businesses(businesses, businesses.map { $0.json.encoded() }, of: collected.entries)
}

private final class Collected: CatalogCollector {
  private var places: [String: Int] = [:]
  private(set) var entries: [CatalogEntry] = []

  func find(_ id: String) throws -> CatalogEntry? { places[id].map { entries[$0] } }

  func storedTexts(of id: String) -> Set<String> { [] }

  func put(_ entry: CatalogEntry) throws {
    if let place = places[entry.id] {
      entries[place] = entry
    } else {
      places[entry.id] = entries.count
      entries.append(entry)
    }
  }
}
