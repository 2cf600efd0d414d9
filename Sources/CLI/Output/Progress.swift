/// The progress of long work, on one line of a terminal that is rewritten.
final class Progress {
  /// The least size that shows progress, in bytes; less is read before anybody wonders.
  static let leastSize = 4 << 20

  private let console: Console
  private let isShown: Bool
  private let size: Int
  private var done = 0
  private var shown = ""

  /// Begins with `size` bytes to read; shows nothing below `leastSize`, and for an unknown size (0).
  init(of size: Int, on console: Console) {
    self.console = console
    self.size = size
    isShown = console.showsProgress && size >= Self.leastSize
  }

  /// Counts bytes that were read.
  func read(_ count: Int) {
    done += count
    if isShown { show("Reading: \(min(100, done * 100 / size)) %") }
  }

  /// Shows the number of changes that were made.
  func changed(_ count: Int) {
    if isShown, count.isMultiple(of: 1000) { show("Changing: \(count) businesses") }
  }

  /// Clears the line.
  func end() {
    if !shown.isEmpty { show("") }
  }

  private func show(_ text: String) {
    guard text != shown else { return }
    shown = text
    // Goes to the start of the line, and erases what is behind the text.
    console.writeError(Array("\r\(text)\u{1B}[K".utf8))
  }
}
