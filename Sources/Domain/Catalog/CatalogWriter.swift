internal import JSON

/// Writes a catalogue so that reading it again gives the same businesses.
public struct CatalogWriter {
  private static let separators = Array("\",;\t\n\r".utf8)

  private let format: CatalogFormat
  private var isEmpty = true

  /// Writes in a format: CSV without a byte order mark and with line feeds, JSON with one business
  /// a line.
  public init(_ format: CatalogFormat) {
    self.format = format
  }

  /// The bytes before the first business.
  public var start: [UInt8] {
    switch format {
    case .csv: Array((CatalogCSV.columns.joined(separator: ",") + "\n").utf8)
    case .json: [UInt8(ascii: "[")]
    }
  }

  /// Appends a business to `output`.
  public mutating func append(_ business: Business, to output: inout [UInt8]) {
    switch format {
    case .csv: appendRows(of: business, to: &output)
    case .json:
      output += (isEmpty ? "\n" : ",\n").utf8
      business.json.append(to: &output)
    }
    isEmpty = false
  }

  /// The bytes after the last business.
  public var end: [UInt8] {
    switch format {
    case .csv: []
    case .json: Array((isEmpty ? "]\n" : "\n]\n").utf8)
    }
  }

  private func appendRows(of business: Business, to output: inout [UInt8]) {
    for (position, product) in business.products.enumerated() {
      let own =
        position > 0
        ? Array(repeating: nil, count: 8)
        : [
          business.name, business.aliases.joined(separator: "|"), business.category,
          business.imageURL, business.url, business.programName, business.displayAllowedCases,
          business.displayCaution,
        ]
      let isActive = position > 0 ? nil : business.isActive ? "true" : "false"
      // Numbers, times and truth values need no guard: spreadsheets may read them as such.
      let values = [
        product.startsAt?.description, product.endsAt?.description, product.commissionType.rawValue,
        product.commission.amount, product.commission.unit.rawValue,
      ]
      let guarded = { (text: String?) in text.map(SpreadsheetGuard.guarded) }
      let fields =
        ([business.id] + own).map(guarded) + [isActive, guarded(product.target)] + values
      for (column, field) in fields.enumerated() {
        if column > 0 { output.append(UInt8(ascii: ",")) }
        Self.append(field ?? "", to: &output)
      }
      output.append(UInt8(ascii: "\n"))
    }
  }

  /// Appends a field, in quotation marks where RFC 4180 section 2 needs them and where it holds
  /// something that spreadsheets may take for the end of a cell, after which a formula could begin.
  private static func append(_ field: String, to output: inout [UInt8]) {
    let quote = UInt8(ascii: "\"")
    let needsQuotes = field.utf8.contains { separators.contains($0) }
    guard needsQuotes else {
      output += field.utf8
      return
    }
    output.append(quote)
    for byte in field.utf8 {
      if byte == quote { output.append(quote) }
      output.append(byte)
    }
    output.append(quote)
  }
}
