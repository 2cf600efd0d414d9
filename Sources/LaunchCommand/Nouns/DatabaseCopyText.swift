import LaunchStore

extension DatabaseCopy {
  /// What it is called in a sentence.
  var name: String {
    let time = at.map { " at \($0)" } ?? ""
    switch (place, origin) {
    case (.unknown, .restored): return "the backup that was restored from standard input\(time)"
    case (.unknown, _): return "the backup that went to standard output\(time)"
    case (_, .backup): return "the backup \(path)" + (at.map { " of \($0)" } ?? "")
    case (_, .restored): return "the backup \(path), restored\(time)"
    case (_, .kept): return "the copy \(path)"
    }
  }

  /// What else has to be known to find it; empty where it is there.
  var whereabouts: String {
    switch place {
    case .there: ""
    case .missing: ", which is not there now"
    case .overtaken: ", moved or replaced since"
    case .unknown: ", wherever it is kept"
    }
  }

  /// How to be rid of it, or keep it of use.
  var disposal: String {
    switch place {
    case .there, .missing: "remove \(path), or keep it with that copy"
    case .overtaken, .unknown: "remove that backup where it is kept, or keep it with that copy"
    }
  }
}
