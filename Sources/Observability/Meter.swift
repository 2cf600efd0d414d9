public import Domain
internal import Platform

/// What one worker thread counts of launches, keys, verifications and the store.
///
/// Only the worker takes its lock, except when usage is drained, once a second, and for a scrape. Nothing is made text
/// before a scrape asks.
public final class Meter: Sendable {
  /// What a worker has counted since it began.
  struct Counts {
    /// In the order of `VerificationResult.allCases`.
    var verifications = [Int](repeating: 0, count: VerificationResult.allCases.count)
    /// By the kind's name.
    var storeErrors: [String: Int] = [:]
    /// Times of the writes, in which waiting for other writers is contained.
    var writes = Histogram()
    var rateLimited: [ProjectID: Int] = [:]
  }

  private struct State {
    var counts = Counts()
    var usage = Usage()
    /// What was issued last and how often in a row, kept apart since it is mostly the same again.
    var lastLaunch: (tally: LaunchTally, count: Int)?
    /// The key used last and when, kept apart since it is mostly the same again.
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

  /// Counts a request that was refused for want of tokens.
  public func count(rateLimited project: ProjectID) {
    state.withLock { $0.counts.rateLimited[project, default: 0] += 1 }
  }

  /// Counts a fault of the store that kept a request from its answer.
  ///
  /// - Parameter kind: the kind's name, which is a label of the metric.
  public func count(storeError kind: String) {
    state.withLock { $0.counts.storeErrors[kind, default: 0] += 1 }
  }

  /// Counts a write to the store and how long it took, in nanoseconds.
  public func count(writeOf duration: UInt64) {
    state.withLock { $0.counts.writes.observe(duration) }
  }

  /// What was counted up to now.
  var current: Counts { state.withLock { $0.counts } }

  /// Gives the usage since the last call, and begins a new count.
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

  /// Names a verdict.
  public init(_ verdict: Verdict) {
    switch verdict {
    case .valid: self = .valid
    case .invalid(let code, _): self = .refused(code)
    }
  }

  /// The word for it in metrics and in the access log.
  public var name: String {
    switch self {
    case .valid: "valid"
    case .refused(let code): code.rawValue
    }
  }

  fileprivate var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
