import JSON
import LaunchDomain

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
  guard case .businesses(let businesses, _) = whole, !businesses.isEmpty else { return }
  for format in CatalogFormat.allCases {
    var writer = CatalogWriter(format)
    var output = writer.start
    for business in businesses { writer.append(business, to: &output) }
    output += writer.end
    guard case .businesses(_, let again) = try read(format, output, pieces: 1000),
      case .businesses(_, let content) = whole
    else { fatalError("the export is refused: \(output.text)") }
    require(again == content, "exported and imported, \(content) became \(again)")
  }
}

private enum Reading: Equatable {
  /// What was read, and its bytes as JSON: Swift's own `==` is blind to how letters are composed.
  case businesses([Business], [[UInt8]])
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
      }, categories: ["beauty", "etc"], now: Fixtures.now, into: collected)
  } catch let faults as CatalogFaults {
    return .faults(faults.description)
  }
  return .businesses(collected.businesses, collected.businesses.map { $0.json.encoded() })
}

private final class Collected: CatalogCollector {
  private var places: [String: (index: Int, line: Int)] = [:]
  private(set) var businesses: [Business] = []

  func find(_ id: String) throws -> (business: Business, line: Int)? {
    places[id].map { (businesses[$0.index], $0.line) }
  }

  func put(_ business: Business, line: Int) throws {
    if let place = places[business.id] {
      businesses[place.index] = business
      places[business.id] = (place.index, line)
    } else {
      places[business.id] = (businesses.count, line)
      businesses.append(business)
    }
  }
}
