internal import Domain
internal import Encoding
public import HTTPServer
internal import Observability
public import Store

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

  /// Searches the catalogue, and answers; beside the event loop where the search takes long.
  ///
  /// - Parameters:
  ///   - query: what is searched.
  ///   - search: the search.
  ///   - answer: makes the answer of what was found, or of why nothing was.
  /// - Returns: the answer, or the promise of one.
  /// - Throws: `StoreError`.
  public func searching<Page: Sendable>(
    _ query: BusinessQuery, _ search: @escaping @Sendable (Knowledge) throws -> Page,
    answer: @escaping (Result<Page, any Error>) -> Response
  ) throws -> Reply {
    let knowledge = try reader().knowledge
    guard try knowledge.takesLong(query) else {
      return .now(answer(.success(try search(knowledge))))
    }
    return .later(promise(of: { try search($0.knowledge) }, answer: answer))
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
    case let error as UncertainWrite:
      return translated(error.cause, in: request).code == .unavailable ? .uncertain : .internal
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
