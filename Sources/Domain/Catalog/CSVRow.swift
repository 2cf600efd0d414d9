/// A row of a catalogue in CSV, with fields by the names of their columns.
struct CSVRow {
  private let fields: [CSVField]
  private let places: [String: Int]

  /// The field of a column; nil where the file has no such column.
  subscript(column: String) -> CSVField? { places[column].map { fields[$0] } }

  /// Reads a record after the header; spreadsheets may omit empty fields at its end.
  ///
  /// - Throws: `CatalogFault` with the cause where it cannot be a row of this file.
  init(_ record: [CSVField], _ header: CSVHeader) throws(CatalogFault) {
    places = header.places
    let fields = record.droppingLast(where: \.isBlank)
    // A row that lacks a field which no row may leave empty was probably broken in two.
    let isBroken = places.contains { column, place in
      place >= record.count && (column == "business_id" || column.hasPrefix("commission_"))
    }
    if Self.isHeader(record, header) {
      throw Self.fault(
        record[0], "This is the first row again; is the file several files in one? Take it out.")
    }
    if let comma = Self.decimalComma(in: record, header, isTooWide: fields.count > header.width) {
      throw comma
    }
    guard !isBroken, fields.count <= header.width else {
      let quote = record.first { $0.text.hasPrefix("“") || $0.text.hasPrefix("”") }
      let isJoined = record.contains { $0.text.unicodeScalars.contains("\u{FEFF}") }
      throw Self.fault(
        record[0],
        "This row has \(record.count) fields, the first row has \(header.width)."
          + (isJoined
            ? " There is a byte order mark (U+FEFF) in it, with which another file begins." : "")
          + (isBroken ? " A line break inside a field needs quotation marks around the field." : "")
          + (quote == nil
            ? "" : " Typographic quotation marks (“ ”) hold no field together; write \"."))
    }
    let (line, column) = (record[0].line, record[0].column)
    let padding = repeatElement(
      CSVField(text: "", line: line, column: column), count: max(0, header.width - record.count))
    self.fields =
      record.map { field in
        var field = field
        field.text = SpreadsheetGuard.unguarded(field.text)
        return field
      } + padding
  }

  /// The business that a record names, whatever else is wrong with it; nil where it names none.
  static func businessID(of record: [CSVField], _ header: CSVHeader) -> String? {
    guard let place = header.places["business_id"], place < record.count else { return nil }
    let id = SpreadsheetGuard.unguarded(record[place].text)
    return Business.isID(id) ? id : nil
  }

  private static func isHeader(_ record: [CSVField], _ header: CSVHeader) -> Bool {
    guard let place = header.places["business_id"], place < record.count else { return false }
    let text = record[place].text
    return text == "business_id" || text == "\u{FEFF}business_id"
  }

  /// The fault of an amount such as `2,5`: the comma splits it into two fields and shifts all that
  /// follow.
  private static func decimalComma(
    in record: [CSVField], _ header: CSVHeader, isTooWide: Bool
  ) -> CatalogFault? {
    guard let place = header.places["commission_amount"], place + 1 < record.count,
      isTooWide || header.places["commission_unit"] == place + 1
    else { return nil }
    let (whole, fraction) = (record[place], record[place + 1])
    let isNumber: (CSVField) -> Bool = { field in
      (1...12).contains(field.text.utf8.count) && field.text.utf8.allSatisfy(\.isASCIIDigit)
    }
    guard isNumber(whole), isNumber(fraction) else { return nil }
    return CatalogFault(
      line: whole.line, column: whole.column, field: "commission_amount",
      message:
        "\(whole.text),\(fraction.text) is cut in two by its comma. An amount is written with a "
        + "decimal point and without separators, such as 2.5 or 3000.")
  }

  private static func fault(_ field: CSVField, _ message: String) -> CatalogFault {
    CatalogFault(line: field.line, column: field.column, field: "", message: message)
  }
}
