import Domain
public import StoreTransfer

extension DatabaseCopy {
  /// The path with invisible characters escaped, so that it stays on one line.
  private var file: String { path.withUnseenEscaped }

  /// The copy's name in a sentence.
  public var name: String {
    let time = at.map { " at \($0)" } ?? ""
    switch (place, origin) {
    case (.unknown, .restored): return "the backup that was restored from standard input\(time)"
    case (.unknown, _): return "the backup that went to standard output\(time)"
    case (_, .backup): return "the backup \(file)" + (at.map { " of \($0)" } ?? "")
    case (_, .restored): return "the backup \(file), restored\(time)"
    case (_, .kept): return "the copy \(file)"
    }
  }

  /// Why the copy is not at its path; empty when it is.
  public var whereabouts: String {
    switch place {
    case .there: ""
    case .missing: ", which is not there now"
    case .overtaken: ", moved or replaced since"
    case .unknown: ", wherever it is kept"
    }
  }

  /// How to remove the copy or keep it usable.
  public var disposal: String {
    switch place {
    case .there, .missing: "remove \(file), or keep it with that copy"
    case .overtaken, .unknown: "remove that backup where it is kept, or keep it with that copy"
    }
  }
}
