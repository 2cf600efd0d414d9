internal import Platform

/// Reports errors to the operator: the first of each kind by a line, later ones by their number.
///
/// An error of every request would otherwise write a line for each, and fill the disk that may have caused it.
public final class ErrorReporter: Sendable {
  /// The most lines of a kind in a row.
  private static let burst = 10

  /// The most kinds that are told apart.
  private static let mostKinds = 64

  /// Errors that the operator would investigate as one.
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

  /// Reports an error, or only counts it after many of its kind.
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

  /// Reports how many errors of each kind were only counted.
  ///
  /// Call it once a second: each call restores one line to a kind of which none was omitted since the previous
  /// call.
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
