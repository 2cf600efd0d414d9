internal import Glibc
internal import Platform

/// Writes the lines of all workers to the file.
///
/// Unchecked: only the writing thread touches what is not under the lock.
final class AccessLogWriter: @unchecked Sendable {
  /// The shortest time between two reports of the same trouble, in nanoseconds.
  private static let quietTime: UInt64 = 60_000_000_000

  private struct State {
    var buffers: [AccessLogBuffer] = []
    /// The file that replaces the current one.
    var next: Int32?
  }

  private let state = Locked(State())

  private let bufferSize: Int
  private let report: @Sendable (String) -> Void
  private var descriptor: Int32
  /// The lines taken from a buffer, and how many of their bytes are written.
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

  /// Writes to another file from now on.
  func changeOver(to descriptor: Int32) {
    let unused = state.withLock { state in
      defer { state.next = descriptor }
      return state.next
    }
    if let unused { close(unused) }
  }

  var droppedLines: Int { state.withLock { $0.buffers }.reduce(0) { $0 + $1.droppedLines } }

  /// Writes all buffers, as far as the disk takes them.
  func writeRound(isLast: Bool) {
    let buffers = state.withLock { $0.buffers }
    var isWritten = writeLines()
    if let next = takeNext() {
      // The new file gets in full a line that was cut off in the old one.
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

  /// Reports that the last lines are lost.
  func reportUnfinished() {
    report("access log: its last lines could not be written")
  }

  private func takeNext() -> Int32? {
    state.withLock { state in
      defer { state.next = nil }
      return state.next
    }
  }

  /// Writes the lines taken from a buffer; on failure the rest is kept for the next round.
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
