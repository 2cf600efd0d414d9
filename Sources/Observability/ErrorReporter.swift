internal import Platform

/// Tells the operator of errors: of each kind some lines at once, and then how many more there were.
///
/// What fails every request would otherwise leave a line for each, and fill the disk that it may be about.
public final class ErrorReporter: Sendable {
  /// How many lines of a kind come at once.
  private static let burst = 10

  /// How many kinds are told apart.
  private static let mostKinds = 64

  /// What the operator would look into as one thing.
  private struct Kind: Hashable {
    let type: ObjectIdentifier
    let message: String?

    init(_ error: any Error, saying message: String?) {
      type = ObjectIdentifier(Swift.type(of: error))
      self.message = message
    }
  }

  private struct State {
    var allowance = ErrorReporter.burst
    var omitted = 0
    var last: any Error
  }

  private let states = Locked<[Kind: State]>([:])
  private let report: @Sendable (String) -> Void

  /// Makes a reporter.
  ///
  /// - Parameter report: takes a line for the operator.
  public init(_ report: @escaping @Sendable (String) -> Void) {
    self.report = report
  }

  /// Tells of an error, or only counts it where there were many of its kind.
  ///
  /// - Parameters:
  ///   - error: the error.
  ///   - message: tells kinds of errors of one type apart; it holds nothing of a request.
  ///   - line: makes the operator's line; not called for an error that is only counted.
  public func tell(_ error: any Error, saying message: String?, line: () -> String) {
    let isTold = states.withLock { states in
      var kind = Kind(error, saying: message)
      if states[kind] == nil, states.count >= Self.mostKinds { kind = Kind(error, saying: nil) }
      var state = states[kind] ?? State(last: error)
      defer { states[kind] = state }
      guard state.allowance == 0 else {
        state.allowance -= 1
        return true
      }
      state.omitted += 1
      state.last = error
      return false
    }
    if isTold { report(line()) }
  }

  /// Tells how many errors of each kind were only counted.
  ///
  /// Call it once a second: a kind that was quiet for a second may be told again.
  public func tellOmitted() {
    let omitted = states.withLock { states in
      let omitted = states.values.filter { $0.omitted > 0 }
      for (kind, state) in states {
        if state.omitted > 0 {
          states[kind]?.omitted = 0
        } else if state.allowance + 1 < Self.burst {
          states[kind]?.allowance += 1
        } else {
          states[kind] = nil
        }
      }
      return omitted
    }
    for one in omitted {
      let count = one.omitted == 1 ? "1 more request" : "\(one.omitted) more requests"
      report("\(count) failed likewise: \(one.last)")
    }
  }
}
