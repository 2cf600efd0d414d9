/// One thing wrong with a catalogue file, and where.
public struct CatalogFault: Sendable, Equatable, CustomStringConvertible {
  /// Where a fault is.
  public enum Place: Sendable, Equatable {
    /// Line and column of a text, the first being 1, columns in characters (code points).
    case text(line: Int, column: Int)
    /// A JSON Pointer (RFC 6901).
    case pointer(String)
  }

  /// Where it is.
  public let place: Place
  /// The column's or member's name, such as `commission_amount`; empty where it is about none.
  public let field: String
  /// What is wrong and what to do.
  public let message: String

  /// Place, field and message in one line.
  public var description: String {
    switch place {
    case .text(let line, let column):
      "line \(line), column \(column): " + (field.isEmpty ? "" : field + ": ") + message
    case .pointer(let pointer): (pointer.isEmpty ? "the whole text" : pointer) + ": " + message
    }
  }
}

/// Everything wrong with a catalogue file; never empty.
public struct CatalogFaults: Error, Sendable, CustomStringConvertible {
  /// How many faults are kept; a file may have one in every cell.
  public static let limit = 100

  /// The first faults, in the order of the file.
  public private(set) var first: [CatalogFault] = []
  /// How many there are.
  public private(set) var count = 0

  init() {}

  init(_ fault: CatalogFault) {
    add(fault)
  }

  mutating func add(_ fault: CatalogFault) {
    count += 1
    if first.count < Self.limit { first.append(fault) }
  }

  /// These faults and those of another look at the same text, in the order of the text.
  func merged(with other: CatalogFaults) -> CatalogFaults {
    var result = self
    result.count += other.count
    result.first = Array(
      (first + other.first).sorted { a, b in
        guard case .text(let lineA, let columnA) = a.place,
          case .text(let lineB, let columnB) = b.place
        else { return false }
        return (lineA, columnA) < (lineB, columnB)
      }.prefix(Self.limit))
    return result
  }

  /// All that are kept, a line each, and how many there are beyond.
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
