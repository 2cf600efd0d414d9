internal import CTemporaryFiles
internal import SQLite

/// A file that goes when its work is done, also where a signal ends the process meanwhile.
public final class TemporaryFile {
  /// Where it is, or will be.
  let path: String
  private let numbers: [Int32]

  /// Names a file that is about to be made.
  ///
  /// - Parameters:
  ///   - path: where.
  ///   - isDatabase: whether SQLite makes files of its own beside it.
  init(_ path: String, isDatabase: Bool = false) {
    self.path = path
    let suffixes = isDatabase ? Connection.suffixes : [""]
    numbers = suffixes.map { temporary_file_remember(path + $0) }
  }

  /// Removes it where it is still there, with all that stands beside it.
  func remove() {
    Connection.remove(path)
    for number in numbers { temporary_file_forget(number) }
  }

  /// Has the signals that end a command, all but SIGKILL and those of a fault, remove its temporary files
  /// before.
  ///
  /// It is called once, before any thread starts. Where such a signal is ignored or waited for, nothing
  /// changes.
  public static func removeAllOnSignals() { temporary_files_remove_on_signals() }

  /// Keeps the signals that end a command waiting from now on, since what it was asked for is about to be
  /// done, and only its report is left.
  static func holdSignals() { temporary_files_hold_signals() }
}
