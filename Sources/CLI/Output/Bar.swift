/// A horizontal bar on a terminal, drawn to an eighth of a column.
enum Bar {
  /// The left parts of a column, from none to seven eighths.
  private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

  /// The bar of a value; every value but 0 shows.
  ///
  /// - Parameters:
  ///   - value: the value, at least 0.
  ///   - largest: the value whose bar takes all columns.
  ///   - columns: the columns for the longest bar.
  /// - Returns: the bar, without padding.
  static func text(of value: Int, largest: Int, columns: Int) -> String {
    guard value > 0, largest > 0, columns > 0 else { return "" }
    let share = Double(value) / Double(largest)
    let length = max(1, Int((share * Double(columns * 8)).rounded()))
    return String(repeating: "█", count: length / 8) + eighths[length % 8]
  }
}
