public import Domain
internal import Platform

/// One worker thread's counts of launches, keys, verifications and the store.
///
/// Only the worker takes the lock, except when usage is drained, once a second, and for a scrape. Only a scrape
/// makes text.
public final class Meter: Sendable {
  /// The counts since the worker began.
  struct Counts {
    /// In the order of `VerificationResult.allCases`.
    var verifications = [Int](repeating: 0, count: VerificationResult.allCases.count)
    /// By the kind's name.
    var storeErrors: [String: Int] = [:]
    /// Durations of writes, waiting for other writers included.
    var writes = Histogram()
    var rateLimited: [ProjectID: Int] = [:]
  }

  private struct State {
    var counts = Counts()
    var usage = Usage()
    /// The last launch's tally and how often it came in a row, kept apart since most launches repeat it.
    var lastLaunch: (tally: LaunchTally, count: Int)?
    /// The key used last and when, kept apart since most requests repeat it.
    var lastKey: (id: KeyID, at: Timestamp)?

    mutating func noteLastLaunch() {
      guard let lastLaunch else { return }
      usage.launches[lastLaunch.tally, default: 0] += lastLaunch.count
    }

    mutating func noteLastKey() {
      guard let lastKey else { return }
      usage.lastUsed[lastKey.id] = lastKey.at
    }
  }

  private let state = Locked(State())

  /// Counts a launch that was issued.
  public func count(launch: LaunchTally) {
    state.withLock { state in
      if let last = state.lastLaunch, last.tally == launch {
        state.lastLaunch?.count = last.count + 1
      } else {
        state.noteLastLaunch()
        state.lastLaunch = (launch, 1)
      }
    }
  }

  /// Notes that a key was accepted.
  public func used(_ key: KeyID, at time: Timestamp) {
    state.withLock { state in
      if let last = state.lastKey, last.id != key { state.noteLastKey() }
      state.lastKey = (key, time)
    }
  }

  /// Counts how a bundle was judged.
  public func count(verification result: VerificationResult) {
    state.withLock { $0.counts.verifications[result.index] += 1 }
  }

  /// Counts a request that the rate limit refused.
  public func count(rateLimited project: ProjectID) {
    state.withLock { $0.counts.rateLimited[project, default: 0] += 1 }
  }

  /// Counts an error of the store that failed a request.
  ///
  /// - Parameter kind: the kind's name, which is a label of the metric.
  public func count(storeError kind: String) {
    state.withLock { $0.counts.storeErrors[kind, default: 0] += 1 }
  }

  /// Counts a write to the store and how long it took, in nanoseconds.
  public func count(writeOf duration: UInt64) {
    state.withLock { $0.counts.writes.observe(duration) }
  }

  /// The counts so far.
  var current: Counts { state.withLock { $0.counts } }

  /// Returns the usage since the last call, and begins a new count.
  func drainUsage() -> Usage {
    state.withLock { state in
      state.noteLastLaunch()
      state.lastLaunch = nil
      state.noteLastKey()
      state.lastKey = nil
      defer { state.usage = Usage() }
      return state.usage
    }
  }
}

/// How a bundle was judged.
public enum VerificationResult: Hashable, CaseIterable, Sendable {
  /// It is authentic and in time.
  case valid
  /// It is refused, with the code that callers are told.
  case refused(RefusalCode)

  /// The valid one, then every refusal.
  public static let allCases = [.valid] + RefusalCode.allCases.map(VerificationResult.refused)

  /// The result of a verdict.
  public init(_ verdict: Verdict) {
    switch verdict {
    case .valid: self = .valid
    case .invalid(let code, _): self = .refused(code)
    }
  }

  /// The result's name in metrics and in the access log.
  public var name: String {
    switch self {
    case .valid: "valid"
    case .refused(let code): code.rawValue
    }
  }

  fileprivate var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
