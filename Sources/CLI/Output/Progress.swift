/// How far long work has come, in one line of a terminal that is written over and over.
final class Progress {
  /// Less to read than this is done before anybody wonders.
  static let leastSize = 4 << 20

  private let console: Console
  private let isShown: Bool
  private let size: Int
  private var done = 0
  private var shown = ""

  /// Begins with `size` bytes to read; for a little, or an unknown number (0), it shows nothing.
  init(of size: Int, on console: Console) {
    self.console = console
    self.size = size
    isShown = console.showsProgress && size >= Self.leastSize
  }

  /// Tells that so many more bytes were read.
  func read(_ count: Int) {
    done += count
    if isShown { show("Reading: \(min(100, done * 100 / size)) %") }
  }

  /// Tells that so many changes were made.
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
    // Back to the start of the line; behind the text the rest of it is erased.
    console.writeError(Array("\r\(text)\u{1B}[K".utf8))
  }
}
