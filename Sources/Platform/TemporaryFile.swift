internal import CPlatform
internal import Glibc

/// A file that goes when its work is done, also where a signal ends the process before.
public final class TemporaryFile {
  /// Where it is, or will be.
  public let path: String
  private let suffixes: [String]
  private let numbers: [Int32]

  /// Names a file that is about to be made.
  ///
  /// - Parameters:
  ///   - path: where.
  ///   - suffixes: what the names of files end in that are made beside it and go with it, such as a database's log.
  public init(_ path: String, besides suffixes: [String] = []) {
    self.path = path
    self.suffixes = [""] + suffixes.filter { !$0.isEmpty }
    numbers = self.suffixes.map { temporary_file_remember(path + $0) }
  }

  /// Removes it where it is still there, with all that stands beside it.
  public func remove() {
    for suffix in suffixes { unlink(path + suffix) }
    for number in numbers { temporary_file_forget(number) }
  }

  /// Has the signals that end a command, all but SIGKILL and those of a fault, remove its temporary files first.
  ///
  /// Call it once, before any thread starts. A signal that is ignored stays ignored.
  public static func removeAllOnSignals() { temporary_files_remove_on_signals() }

  /// Holds back the signals that end a command, on this thread: what it was asked for is about to be done, and
  /// only its report is left.
  public static func holdSignals() { temporary_files_hold_signals() }
}
