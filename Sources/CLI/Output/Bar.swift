/// A horizontal bar of a terminal, drawn to an eighth of a column.
enum Bar {
  /// Left parts of a column, from none to seven eighths.
  private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

  /// The bar of a value; what is not 0 shows at least as a line.
  ///
  /// - Parameters:
  ///   - value: what it stands for, at least 0.
  ///   - largest: the value whose bar takes all columns.
  ///   - columns: how many there are.
  /// - Returns: the bar, as long as it is.
  static func text(of value: Int, largest: Int, columns: Int) -> String {
    guard value > 0, largest > 0, columns > 0 else { return "" }
    let share = Double(value) / Double(largest)
    let length = max(1, Int((share * Double(columns * 8)).rounded()))
    return String(repeating: "█", count: length / 8) + eighths[length % 8]
  }
}
