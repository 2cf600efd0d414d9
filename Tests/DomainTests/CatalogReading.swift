import Domain

/// Collects what is said in a catalogue file in memory.
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

/// What a file that comes in pieces of so many bytes says of businesses, in the order of their first
/// rows.
func entries(
  _ format: CatalogFormat, in bytes: [UInt8], pieces size: Int = 1000, categories: [String]
) throws -> [CatalogEntry] {
  let collected = Collected()
  var rest = bytes[...]
  try format.read(
    from: {
      defer { rest = rest.dropFirst(size) }
      return Array(rest.prefix(size))
    }, categories: categories, into: collected)
  return collected.entries
}

/// The businesses of a file where the catalogue has none of them yet.
func businesses(
  _ format: CatalogFormat, in bytes: [UInt8], pieces size: Int = 1000, categories: [String],
  now: Timestamp
) throws -> [Business] {
  var faults = CatalogFaults()
  let found = try entries(format, in: bytes, pieces: size, categories: categories)
    .compactMap { entry -> Business? in
      do throws(CatalogFaults) {
        return try entry.merged(into: nil, now: now)
      } catch {
        faults = faults.merged(with: error)
        return nil
      }
    }
  guard faults.count == 0 else { throw faults }
  return found
}
