/// A manual page in the language of mdoc(7), as groff and mandoc read it.
struct Mdoc {
  private(set) var source = ""

  /// A word of a macro's line.
  enum Word {
    /// A macro called within the line, such as `Fl`.
    case macro(String)
    /// Text, which stays text also when it is spelt like a macro.
    case text(String)
    /// The name of a page in a reference.
    case page(String)
    /// Punctuation, which mdoc places between or behind words.
    case punctuation(String)
  }

  /// Begins a line with a macro.
  mutating func line(_ name: String, _ words: [Word]) {
    source += ([".\(name)"] + words.map(\.source)).joined(separator: " ") + "\n"
  }

  /// Begins a line with a macro whose arguments are all text.
  mutating func line(_ name: String, _ texts: String...) {
    line(name, texts.map(Word.text))
  }

  /// Begins a line with a macro whose arguments are mdoc's own.
  mutating func control(_ name: String, _ arguments: String = "") {
    source += ".\(name)" + (arguments.isEmpty ? "" : " " + arguments) + "\n"
  }

  /// Sets prose; an empty line separates paragraphs, and indented lines keep their shape.
  mutating func prose(_ text: String) {
    var paragraph: [Substring] = []
    var block: [String] = []
    var isFirst = true
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) + [Substring()] {
      let isIndented = line.hasPrefix("  ")
      if !isIndented, !block.isEmpty {
        display(block)
        block = []
      }
      if isIndented || line.isEmpty, !paragraph.isEmpty {
        if !isFirst { control("Pp") }
        isFirst = false
        for sentence in Self.sentences(paragraph.joined(separator: " ")) { flow(sentence) }
        paragraph = []
      }
      if isIndented {
        block.append(String(line.drop { $0 == " " }))
      } else if !line.isEmpty {
        paragraph.append(line)
      }
    }
  }

  /// Sets lines as they are, indented.
  mutating func display(_ lines: [String]) {
    control("Bd", "-literal -offset indent")
    for line in lines { source += Self.escaped(line) + "\n" }
    control("Ed")
  }

  /// mdoc wants each sentence on a line of its own, to set the space behind it.
  private static func sentences(_ text: String) -> [String] {
    var sentences = [""]
    for word in text.split(separator: " ") {
      let last = sentences[sentences.count - 1]
      sentences[sentences.count - 1] = last.isEmpty ? String(word) : last + " " + word
      if ".?!".contains(word.last ?? " ") { sentences.append("") }
    }
    return sentences.filter { !$0.isEmpty }
  }

  /// Sets a sentence in lines of a length that the language's linters accept.
  private mutating func flow(_ sentence: String) {
    var line = ""
    for word in sentence.split(separator: " ") {
      let word = Self.escaped(String(word))
      if line.isEmpty {
        line = word
      } else if line.utf8.count + 1 + word.utf8.count <= 78 {
        line += " " + word
      } else {
        source += line + "\n"
        line = word
      }
    }
    source += line + "\n"
  }

  /// The text with escapes for what groff would change, so that text copied from a terminal is as it was written.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "\"": result += "\\(dq"
      case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
      }
    }
    return result.hasPrefix(".") ? "\\&" + result : result
  }
}

extension Mdoc.Word {
  fileprivate var source: String {
    switch self {
    case .macro(let name), .page(let name), .punctuation(let name): return name
    case .text(let text):
      let escaped = Mdoc.escaped(text)
      if escaped.contains(" ") { return "\"\(escaped)\"" }
      // A word as short as this may be a macro's name or punctuation.
      return escaped.utf8.count <= 3 ? "\\&" + escaped : escaped
    }
  }
}
