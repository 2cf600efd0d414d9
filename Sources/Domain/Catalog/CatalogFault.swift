/// One thing wrong with a catalogue file, and where.
public struct CatalogFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// The line that it is on, the first being 1.
  public let line: Int
  /// Its column, the first being 1, in characters (code points).
  public let column: Int
  /// The column of a CSV file, such as `commission_amount`, or a JSON Pointer (RFC 6901); empty
  /// where neither applies.
  public let field: String
  /// What is wrong and what to do.
  public let message: String

  /// Place, field and message in one line.
  public var description: String {
    "line \(line), column \(column): " + (field.isEmpty ? "" : field + ": ") + message
  }
}

/// Everything wrong with a catalogue file; never empty.
public struct CatalogFaults: Error, Sendable, CustomStringConvertible {
  /// The most faults that are kept; a file may have one in every cell.
  public static let limit = 100

  /// The first faults, in the order of the file.
  public private(set) var first: [CatalogFault] = []
  /// How many there are.
  public private(set) var count = 0

  /// Makes a list without faults.
  public init() {}

  init(_ fault: CatalogFault) {
    add(fault)
  }

  mutating func add(_ fault: CatalogFault) {
    count += 1
    if first.count < Self.limit { first.append(fault) }
  }

  /// These faults and those of another reading of the same text, in the order of the text.
  public func merged(with other: CatalogFaults) -> CatalogFaults {
    var result = self
    result.count += other.count
    result.first = Array(
      (first + other.first).sorted { ($0.line, $0.column) < ($1.line, $1.column) }
        .prefix(Self.limit))
    return result
  }

  /// The faults that are kept, a line each, and how many more there are.
  public var description: String {
    let lines = first.map { "  \($0)\n" }.joined()
    let rest = count > first.count ? "  … and \(count - first.count) more\n" : ""
    let title = count == 1 ? "The catalogue has a fault" : "The catalogue has \(count) faults"
    return "\(title); nothing was imported.\n\(lines)\(rest)".trimmingLastLineBreak
  }
}

extension String {
  fileprivate var trimmingLastLineBreak: String {
    last == "\n" ? String(dropLast()) : self
  }
}
