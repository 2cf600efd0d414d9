internal import Domain
public import HTTPServer
internal import Observability
internal import Store

extension RequestContext {
  /// Runs the work of a request, and answers an error with its problem.
  func answer(_ request: Request, _ work: () throws -> Response) -> Response {
    do {
      return try work()
    } catch {
      return problem(of: error, in: request).response(requestID: request.id)
    }
  }

  /// Runs the work of a request that may promise its answer, and answers an error with its problem.
  func reply(_ request: Request, _ work: () throws -> Reply) -> Reply {
    do {
      return try work()
    } catch {
      return .now(problem(of: error, in: request).response(requestID: request.id))
    }
  }

  /// The answer to a request that `check` refuses; nil if it passes.
  func refusal(of request: Request, _ check: () throws -> Void) -> Response? {
    do {
      try check()
      return nil
    } catch {
      return problem(of: error, in: request).response(requestID: request.id)
    }
  }

  /// The problem that answers an error; errors that are not the caller's are reported to the operator.
  ///
  /// - Parameters:
  ///   - error: what the work on the request threw.
  ///   - request: the request.
  /// - Returns: the problem.
  public func problem(of error: any Error, in request: Request) -> Problem {
    let problem = translated(error, in: request)
    noteProblem(problem.code)
    return problem
  }

  private func translated(_ error: any Error, in request: Request) -> Problem {
    switch error {
    case let problem as Problem:
      return problem
    case let faults as FieldFaults:
      return Problem(faults)
    case let error as UnknownUpstream:
      report(
        StoreError(
          .unusable,
          "the project's upstream \(error.name) is not configured; there are "
            + error.known.joined(separator: ", ")), in: request)
      return .unavailable
    case let error as StoreError:
      meter.count(storeError: error.kind.name)
      // A database that was moved away may come back: the next request opens it.
      worker.currentReader.close()
      report(error, in: request)
      return .unavailable
    default:
      report(error, in: request)
      return .internal
    }
  }
}
