import Domain
import Glibc
import Platform

/// The standard streams, as a value, so that tests can replace them.
public struct Console: Sendable {
  /// Reads standard input to its end; throws `FileError`, also when it is longer than `limit` bytes.
  public var readInput: @Sendable (_ limit: Int) throws -> [UInt8]
  /// Reads a line of standard input, without its end, echoed or not; nil at the end of input.
  public var readLine: @Sendable (_ isShown: Bool) -> String?
  /// Whether questions can be asked: standard input and standard error are a terminal.
  public var isInteractive: Bool
  /// Whether progress is shown: standard error is a terminal.
  public var showsProgress: Bool
  /// The columns of standard output; nil when it is not a terminal.
  public var outputWidth: Int?
  /// Whether standard output is a terminal, also one of unknown width.
  public var outputIsTerminal: Bool
  /// Writes to standard output.
  public var write: @Sendable ([UInt8]) throws -> Void
  /// Writes to standard error; a failure is ignored, since it could be reported nowhere.
  public var writeError: @Sendable ([UInt8]) -> Void

  /// Makes a console from its parts.
  public init(
    readInput: @escaping @Sendable (_ limit: Int) throws -> [UInt8],
    readLine: @escaping @Sendable (_ isShown: Bool) -> String?, isInteractive: Bool,
    showsProgress: Bool = false, outputWidth: Int? = nil,
    outputIsTerminal: Bool = false, write: @escaping @Sendable ([UInt8]) throws -> Void,
    writeError: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.readInput = readInput
    self.readLine = readLine
    self.isInteractive = isInteractive
    self.showsProgress = showsProgress
    self.outputWidth = outputWidth
    self.outputIsTerminal = outputIsTerminal
    self.write = write
    self.writeError = writeError
  }

  /// Prints a message of one line or several on standard error, invisible characters escaped.
  func say(_ message: String) {
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
    writeError(Array((lines.map(\.withUnseenEscaped).joined(separator: "\n") + "\n").utf8))
  }

  /// The process's streams.
  public static var process: Console {
    Console(
      readInput: { try readAll(of: 0, name: "standard input", limit: $0) },
      readLine: { readTerminalLine(isShown: $0) },
      isInteractive: isatty(0) == 1 && isatty(2) == 1, showsProgress: isatty(2) == 1,
      outputWidth: terminalWidth(of: 1), outputIsTerminal: isatty(1) == 1,
      write: {
        try writeAll(isatty(1) == 1 ? steeringNothing($0) : $0, to: 1, name: "standard output")
      },
      writeError: { try? writeAll($0, to: 2, name: "standard error") })
  }
}

/// The bytes with everything escaped that steers a terminal; JSON and CSV hold stored texts as they are.
private func steeringNothing(_ bytes: [UInt8]) -> [UInt8] {
  Array(String(decoding: bytes, as: UTF8.self).withControlsEscaped.utf8)
}

private func terminalWidth(of descriptor: Int32) -> Int? {
  var size = winsize()
  guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
  return Int(size.ws_col)
}

/// Reads a line from standard input; a terminal does not echo it unless `isShown`.
private func readTerminalLine(isShown: Bool) -> String? {
  var settings = termios()
  guard !isShown, tcgetattr(0, &settings) == 0 else { return readLine(strippingNewline: true) }
  var silent = settings
  silent.c_lflag &= ~tcflag_t(ECHO)
  tcsetattr(0, TCSAFLUSH, &silent)
  defer { tcsetattr(0, TCSAFLUSH, &settings) }
  return readLine(strippingNewline: true)
}
