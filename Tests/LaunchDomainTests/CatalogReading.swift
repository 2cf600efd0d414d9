import LaunchDomain

/// Collects a catalogue in memory.
private final class Collected: CatalogCollector {
  private var lines: [String: Int] = [:]
  private(set) var businesses: [Business] = []

  func find(_ id: String) throws -> (business: Business, line: Int)? {
    guard let line = lines[id], let business = businesses.first(where: { $0.id == id }) else {
      return nil
    }
    return (business, line)
  }

  func put(_ business: Business, line: Int) throws {
    if lines.updateValue(line, forKey: business.id) == nil {
      businesses.append(business)
    } else if let index = businesses.firstIndex(where: { $0.id == business.id }) {
      businesses[index] = business
    }
  }
}

/// The businesses of a file that comes in pieces of so many bytes, in the order of their first rows.
func businesses(
  _ format: CatalogFormat, in bytes: [UInt8], pieces size: Int = 1000, categories: [String],
  now: Timestamp
) throws -> [Business] {
  let collected = Collected()
  var rest = bytes[...]
  try format.read(
    from: {
      defer { rest = rest.dropFirst(size) }
      return Array(rest.prefix(size))
    }, categories: categories, now: now, into: collected)
  return collected.businesses
}
