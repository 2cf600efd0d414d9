internal import Domain
internal import Platform
internal import Store

/// What one worker thread counts of launches, keys, verifications and the store.
///
/// Its lock is the worker's own but for a moment once a second and with a scrape, so that counting
/// waits for nobody; nothing is made text before a scrape asks.
final class Meter: Sendable {
  /// What a worker has counted since it began.
  struct Counts {
    /// In the order of `VerificationResult.allCases`.
    var verifications = [Int](repeating: 0, count: VerificationResult.allCases.count)
    /// In the order of `StoreError.Kind.allCases`.
    var storeErrors = [Int](repeating: 0, count: StoreError.Kind.allCases.count)
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
  func count(launch: LaunchTally) {
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
  func used(_ key: KeyID, at time: Timestamp) {
    state.withLock { state in
      if let last = state.lastKey, last.id != key { state.noteLastKey() }
      state.lastKey = (key, time)
    }
  }

  /// Counts how a bundle was judged.
  func count(verification result: VerificationResult) {
    state.withLock { $0.counts.verifications[result.index] += 1 }
  }

  /// Counts a request that was refused for want of tokens.
  func count(rateLimited project: ProjectID) {
    state.withLock { $0.counts.rateLimited[project, default: 0] += 1 }
  }

  /// Counts a fault of the store that kept a request from its answer.
  func count(storeError kind: StoreError.Kind) {
    state.withLock { $0.counts.storeErrors[kind.index] += 1 }
  }

  /// Counts a write to the store and how long it took, in nanoseconds.
  func count(writeOf duration: UInt64) {
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
enum VerificationResult: Hashable, CaseIterable {
  case valid
  case refused(RefusalCode)

  static let allCases = [.valid] + RefusalCode.allCases.map(VerificationResult.refused)

  init(_ verdict: Verdict) {
    switch verdict {
    case .valid: self = .valid
    case .invalid(let code, _): self = .refused(code)
    }
  }

  /// The word for it in metrics and in the access log.
  var name: String {
    switch self {
    case .valid: "valid"
    case .refused(let code): code.rawValue
    }
  }

  fileprivate var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension StoreError.Kind {
  /// The word for it in metrics.
  var name: String {
    switch self {
    case .notFound: "not_found"
    case .alreadyExists: "already_exists"
    case .inUse: "in_use"
    case .invalid: "invalid"
    case .permission: "permission"
    case .unusable: "unusable"
    case .inputOutput: "input_output"
    case .unavailable: "unavailable"
    }
  }

  fileprivate var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
