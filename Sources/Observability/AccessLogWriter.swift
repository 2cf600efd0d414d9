internal import Glibc
internal import Platform

/// Writes the lines of all workers to the file.
///
/// Unchecked: what is not under the lock is touched only by the thread that writes.
final class AccessLogWriter: @unchecked Sendable {
  /// How long the operator hears nothing new of the same trouble, in nanoseconds.
  private static let quietTime: UInt64 = 60_000_000_000

  private struct State {
    var buffers: [AccessLogBuffer] = []
    /// The file that takes the place of the present one.
    var next: Int32?
  }

  private let state = Locked(State())

  private let bufferSize: Int
  private let report: @Sendable (String) -> Void
  private var descriptor: Int32
  /// Lines that were taken from a buffer, and how much of them is written.
  private var lines: [UInt8] = []
  private var written = 0
  private var failedAt: UInt64?
  private var droppedAt: UInt64 = 0
  private var knownDrops = 0

  init(_ descriptor: Int32, bufferSize: Int, report: @escaping @Sendable (String) -> Void) {
    self.descriptor = descriptor
    self.bufferSize = bufferSize
    self.report = report
  }

  deinit {
    close(descriptor)
    if let next = takeNext() { close(next) }
  }

  func makeBuffer() -> AccessLogBuffer {
    let buffer = AccessLogBuffer(size: bufferSize)
    state.withLock { $0.buffers.append(buffer) }
    return buffer
  }

  /// Has what comes from now on written to another file.
  func changeOver(to descriptor: Int32) {
    let unused = state.withLock { state in
      defer { state.next = descriptor }
      return state.next
    }
    if let unused { close(unused) }
  }

  var droppedLines: Int { state.withLock { $0.buffers }.reduce(0) { $0 + $1.droppedLines } }

  /// Writes what there is, as far as the disk takes it.
  func writeRound(isLast: Bool) {
    let buffers = state.withLock { $0.buffers }
    var isWritten = writeLines()
    if let next = takeNext() {
      // What was written of a line that could not be finished is written again, whole.
      written = lines[..<written].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      close(descriptor)
      descriptor = next
      isWritten = writeLines()
    }
    for buffer in buffers where isWritten {
      buffer.exchange(&lines)
      isWritten = writeLines()
    }
    reportDrops(buffers)
    if isLast, !isWritten { reportUnfinished() }
  }

  /// Says that lines were lost at the end.
  func reportUnfinished() {
    report("access log: its last lines could not be written")
  }

  private func takeNext() -> Int32? {
    state.withLock { state in
      defer { state.next = nil }
      return state.next
    }
  }

  /// Writes the lines that were taken; what is left of them is kept for the next round.
  private func writeLines() -> Bool {
    while written < lines.count {
      let count = lines[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        reportFailure(errno)
        return false
      }
      written += count
    }
    if !lines.isEmpty, failedAt != nil {
      failedAt = nil
      report("access log: writing works again")
    }
    lines.removeAll(keepingCapacity: true)
    written = 0
    return true
  }

  private func reportFailure(_ number: Int32) {
    let now = MonotonicTime.now
    if let failedAt, now < failedAt + Self.quietTime { return }
    failedAt = now
    report(
      "access log: writing fails: \(systemMessage(number)); requests go on, and lines are dropped "
        + "once the buffers are full")
  }

  private func reportDrops(_ buffers: [AccessLogBuffer]) {
    let drops = buffers.reduce(0) { $0 + $1.droppedLines }
    let now = MonotonicTime.now
    guard drops > knownDrops, knownDrops == 0 || now > droppedAt + Self.quietTime else { return }
    report("access log: \(drops - knownDrops) lines were dropped: the disk does not keep up")
    knownDrops = drops
    droppedAt = now
  }
}
