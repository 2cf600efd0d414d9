public import HTTPServer
internal import Platform

/// One worker thread's counts of requests: a row for each method and route, a column for each status.
///
/// Only the worker takes the lock, except for a scrape.
public final class RequestMeter: Sendable {
  /// The meaning of rows and columns, the same for all meters of a router.
  public struct Table: Sendable {
    /// The statuses that the interface answers with; 0, the last column, is any other.
    static let statuses = [
      200, 204, 303, 304, 400, 401, 403, 404, 405, 413, 415, 422, 429, 431, 500, 503, 0,
    ]
    /// The column of each status.
    fileprivate static let columns = (0..<600).map { status in
      statuses.firstIndex(of: status) ?? statuses.count - 1
    }

    /// The method and the pattern of each row; nil stands for no route.
    let rows: [(method: Method, pattern: String?)]

    /// Each route has a row for its method and one for `HEAD`; requests without a route come last.
    ///
    /// - Parameter lines: the method and the pattern of each route, in the order of the router's table.
    public init(_ lines: [(method: Method, pattern: String)]) {
      rows =
        lines.flatMap { [($0.method, $0.pattern), (.head, $0.pattern)] }
        + Method.allCases.map { ($0, nil) }
    }

    fileprivate func row(of request: Request) -> Int {
      guard let index = request.routeIndex else {
        return rows.count - Method.allCases.count + Int(request.method.rawValue)
      }
      return 2 * index + (request.method == .head ? 1 : 0)
    }
  }

  /// The counts so far.
  struct Counts {
    /// By row, and in it by column.
    var requests: [Int]
    /// By row.
    var durations: [Histogram]

    init(_ table: Table) {
      requests = [Int](repeating: 0, count: table.rows.count * Table.statuses.count)
      durations = [Histogram](repeating: Histogram(), count: table.rows.count)
    }

    /// Adds the counts of another meter of the same table.
    mutating func add(_ other: Counts) {
      for place in requests.indices { requests[place] += other.requests[place] }
      for row in durations.indices { durations[row].add(other.durations[row]) }
    }

    /// How many requests of a row were answered with the status of a column.
    func requests(row: Int, column: Int) -> Int { requests[row * Table.statuses.count + column] }
  }

  let table: Table
  private let counts: Locked<Counts>

  init(_ table: Table) {
    self.table = table
    counts = Locked(Counts(table))
  }

  /// Counts an answer that took `duration` nanoseconds.
  public func count(_ request: Request, status: Int, duration: UInt64) {
    let row = table.row(of: request)
    let column = Table.columns[min(max(0, status), Table.columns.count - 1)]
    counts.withLock { counts in
      counts.requests[row * Table.statuses.count + column] += 1
      counts.durations[row].observe(duration)
    }
  }

  /// The counts so far.
  var current: Counts { counts.withLock { $0 } }
}
