/// The first row of a catalogue in CSV, which names the columns.
struct CSVHeader {
  /// Signs other than the comma that may separate columns, and their names.
  private static let separators: [(sign: String, name: String)] = [
    (";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars"), ("，", "full-width commas"),
  ]

  /// The position of each column that the file has.
  private(set) var places: [String: Int] = [:]
  /// How many columns there are, not counting empty ones at the end.
  let width: Int
  private(set) var faults = CatalogFaults()

  init(_ record: [CSVField]) {
    // A spreadsheet writes as many columns as its widest row ever had.
    let cells = record.droppingLast(where: \.isBlank)
    width = cells.count
    if let fault = Self.oneCause(of: cells) {
      faults.add(fault)
      return
    }
    var misspelled: [String: Int] = [:]
    for (index, cell) in cells.enumerated() {
      if !CatalogCSV.columns.contains(cell.text) {
        let meant = Self.misspelling(cell.text)
        if let meant { places[meant.column] = index }
        // A cause is reported once: it usually applies to many cells.
        guard meant.map({ misspelled.updateValue(index, forKey: $0.cause) == nil }) ?? true else {
          continue
        }
        report(cell, "", meant.map { "\($0.column): \($0.cause)" } ?? Self.objection(to: cell.text))
      } else if places.updateValue(index, forKey: cell.text) != nil {
        report(cell, cell.text, "This column is there already.")
      }
    }
    if places["business_id"] == nil {
      faults.add(
        CatalogFault(
          line: cells.first?.line ?? 1, column: 1, field: "business_id",
          message: "This column is missing; the first row has to name the columns."))
    }
  }

  /// A cause that makes every name wrong at once; nil where there is none.
  private static func oneCause(of cells: ArraySlice<CSVField>) -> CatalogFault? {
    guard let first = cells.first else { return nil }
    if cells.count <= 2 {
      for cell in cells {
        for (sign, name) in separators where cell.text.contains(sign) {
          return fault(
            cell, "The columns are separated by \(name); export them separated by commas.")
        }
      }
    }
    let isKnown: (CSVField) -> Bool = { cell in
      CatalogCSV.columns.contains(cell.text) || misspelling(cell.text) != nil
        || !nearest(to: cell.text, in: CatalogCSV.columns, limit: 1).isEmpty
    }
    guard !cells.contains(where: isKnown) else { return nil }
    return fault(
      first,
      "The first row has to name the columns, separated by commas; there are "
        + CatalogCSV.columns.joined(separator: ",") + ".")
  }

  private static func objection(to name: String) -> String {
    let meant = nearest(to: name, in: CatalogCSV.columns, limit: 1).first
    return "There is no column of this name"
      + (meant.map { "; did you mean \($0)?" }
        ?? ". Columns are separated by commas; there are \(CatalogCSV.columns.joined(separator: ",")).")
  }

  /// The intended column and the cause, where a name is wrong only by invisible characters, stray
  /// signs or capital letters.
  private static func misspelling(_ name: String) -> (column: String, cause: String)? {
    let isOdd: (Unicode.Scalar) -> Bool = { scalar in
      !(scalar.isASCII && scalar.properties.isAlphabetic) && scalar != "_"
    }
    guard name.utf8.count <= 64 else { return nil }
    let letters = name.lowercased()
    var without = String.UnicodeScalarView()
    var joined = String.UnicodeScalarView()
    for scalar in letters.unicodeScalars {
      joined.append(isOdd(scalar) ? "_" : scalar)
      if !isOdd(scalar) { without.append(scalar) }
    }
    guard
      let column = CatalogCSV.columns.first(where: {
        [String(without), String(joined)].contains($0)
      })
    else { return nil }
    guard let odd = name.unicodeScalars.first(where: isOdd) else {
      return (column, "The names of columns are written in small letters.")
    }
    return (column, "The name of the column has \(odd.inWords) in its cell; take it out.")
  }

  private static func fault(_ cell: CSVField, _ message: String) -> CatalogFault {
    CatalogFault(line: cell.line, column: cell.column, field: "", message: message)
  }

  private mutating func report(_ cell: CSVField, _ column: String, _ message: String) {
    faults.add(
      CatalogFault(line: cell.line, column: cell.column, field: column, message: message))
  }
}

extension Array {
  /// The elements without those at the end for which `isEmpty` holds.
  func droppingLast(where isEmpty: (Element) -> Bool) -> ArraySlice<Element> {
    prefix((lastIndex { !isEmpty($0) } ?? -1) + 1)
  }
}
