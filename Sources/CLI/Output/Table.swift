import Domain

/// Rows under headings, aligned for a terminal.
struct Table {
  var headings: [String]
  var rows: [[String]] = []

  /// The table's lines, none of which ends in a space.
  var text: String {
    let rows = rows.map { $0.map(\.withUnseenEscaped) }
    let widths = headings.indices.map { column in
      ([headings] + rows).map { $0[column].displayWidth }.max() ?? 0
    }
    return ([headings] + rows).map { cells in
      var line = ""
      for (cell, width) in zip(cells, widths) {
        line += cell + String(repeating: " ", count: width - cell.displayWidth + 2)
      }
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }

  /// Names and values in two columns; the further lines of a value stand under its first.
  static func properties(_ pairs: [(name: String, value: String)]) -> String {
    let width = pairs.map(\.name.displayWidth).max() ?? 0
    let indentation = String(repeating: " ", count: width + 2)
    return pairs.map { name, value in
      let lines = value.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      return name + indentation.dropFirst(name.displayWidth)
        + lines.map(\.withUnseenEscaped).joined(separator: "\n" + indentation) + "\n"
    }.joined()
  }
}

extension String {
  /// The columns that the text takes on a terminal; Hangul and other wide letters take two.
  var displayWidth: Int {
    reduce(0) { $0 + $1.displayWidth }
  }
}

extension Character {
  /// The columns of the first scalar; scalars that combine with it take none.
  fileprivate var displayWidth: Int {
    guard let scalar = unicodeScalars.first else { return 0 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    // East Asian Width W and F (Unicode Standard Annex 11), and emoji, in coarse blocks.
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
      0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
