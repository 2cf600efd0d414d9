internal import Glibc
internal import Platform

/// The access log: one line a request, written by a thread of its own.
///
/// Each worker has a buffer, which the thread collects every 100 ms, or earlier when one is half full. No request
/// waits for the disk: when a buffer is full, lines are dropped and counted.
public final class AccessLog: Sendable {
  private let writer: AccessLogWriter
  private let thread: PeriodicThread
  private let path: String?

  /// Opens the log for appending; a new file has the mode 0640.
  ///
  /// - Parameters:
  ///   - path: the file's path; `-` is standard output.
  ///   - report: takes a line for the operator when writing fails, or works again.
  /// - Throws: ``AccessLogError`` if the file cannot be opened.
  public convenience init(
    path: String, report: @escaping @Sendable (String) -> Void
  ) throws(AccessLogError) {
    try self.init(path: path, bufferSize: 1 << 20, report: report)
  }

  /// Opens the log with buffers of `bufferSize` bytes.
  init(
    path: String, bufferSize: Int, report: @escaping @Sendable (String) -> Void
  ) throws(AccessLogError) {
    self.path = path == "-" ? nil : path
    let writer = AccessLogWriter(
      try Self.open(self.path), bufferSize: bufferSize, report: report)
    self.writer = writer
    let thread = PeriodicThread(every: 100) { isLast in writer.writeRound(isLast: isLast) }
    guard let thread else { throw AccessLogError(path: path, number: EAGAIN) }
    self.thread = thread
  }

  /// Reopens the file after it was moved away; no line is lost.
  ///
  /// Lines that are being written still go to the old file; all others go to the new one. On standard
  /// output it does nothing.
  ///
  /// - Throws: ``AccessLogError`` if the file cannot be opened; the old one stays in use then.
  public func reopen() throws(AccessLogError) {
    guard path != nil else { return }
    writer.changeOver(to: try Self.open(path))
    thread.wake()
  }

  /// Writes what is left, and closes the file; waits five seconds for the disk at most.
  ///
  /// Call it once, when no worker answers requests any more.
  public func close() {
    if !thread.stop(within: 5000) { writer.reportUnfinished() }
  }

  /// How many lines were dropped since the start.
  public var droppedLines: Int { writer.droppedLines }

  /// Makes a buffer for one worker thread.
  func makeBuffer() -> AccessLogBuffer { writer.makeBuffer() }

  /// Has the lines collected at once.
  func collect() { thread.wake() }

  private static func open(_ path: String?) throws(AccessLogError) -> Int32 {
    // Non-blocking, since opening a pipe that nobody reads would block for good.
    let descriptor =
      path.map { path in
        Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o640)
      } ?? fcntl(1, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else {
      throw AccessLogError(path: path ?? "standard output", number: errno)
    }
    guard path == nil || setWaiting(descriptor) else {
      let number = errno
      Glibc.close(descriptor)
      throw AccessLogError(path: path ?? "standard output", number: number)
    }
    return descriptor
  }

  /// Makes writes block, as the writing thread expects.
  private static func setWaiting(_ descriptor: Int32) -> Bool {
    let flags = fcntl(descriptor, F_GETFL)
    return flags >= 0 && fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) == 0
  }
}

/// A log that cannot be opened.
public struct AccessLogError: Error, CustomStringConvertible {
  /// The path that was given.
  public let path: String
  /// The `errno` of the failure.
  public let number: Int32

  /// The error as a sentence.
  public var description: String {
    "The access log \(path) cannot be opened: \(Self.reason(number))."
  }

  /// Why a log cannot be opened, as the end of a sentence.
  ///
  /// - Parameter number: the `errno` of the failure.
  /// - Returns: the words, without a full stop.
  public static func reason(_ number: Int32) -> String {
    number == ENXIO
      ? "nobody reads it, and a pipe or socket needs its reader first" : systemMessage(number)
  }
}

/// One worker thread's lines that are still to be written.
///
/// Its lock is held for copying a line or exchanging the buffer, never for input or output.
final class AccessLogBuffer: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var dropped = 0
    var wasHalfFull = false
  }

  private let size: Int
  private let state = Locked(State())

  init(size: Int) {
    self.size = size
  }

  /// Appends a line that ends in a line feed, or drops it if there is no room.
  ///
  /// - Returns: whether the buffer has just become half full and should be collected.
  func append(_ line: [UInt8]) -> Bool {
    state.withLock { state in
      guard state.bytes.count + line.count <= size else {
        state.dropped += 1
        return false
      }
      state.bytes.append(contentsOf: line)
      guard state.bytes.count > size / 2, !state.wasHalfFull else { return false }
      state.wasHalfFull = true
      return true
    }
  }

  /// Swaps the lines with an empty array.
  func exchange(_ empty: inout [UInt8]) {
    state.withLock { state in
      swap(&state.bytes, &empty)
      state.wasHalfFull = false
    }
  }

  var droppedLines: Int { state.withLock { $0.dropped } }
}
