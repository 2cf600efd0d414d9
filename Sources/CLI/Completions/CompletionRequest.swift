/// A command line up to the cursor, and what fits at the cursor.
struct CompletionRequest {
  /// What fits at the cursor.
  enum Offer: Equatable {
    /// Options or commands, with descriptions.
    case words([Candidate])
    /// The value of an option or an argument.
    case value(CompletionKind)
  }

  /// An offered word.
  struct Candidate: Equatable {
    var word: String
    var description = ""
  }

  let offer: Offer
  /// The typed part of the word at the cursor; of `--option=value` the value only.
  let typed: String
  /// The part of the word before `typed`, such as `--option=`.
  let prefix: String
  /// The values of options before the cursor, by the option's name.
  let given: [String: String]

  /// Finds out what fits at the cursor.
  ///
  /// - Parameters:
  ///   - words: the words after the program's name, up to the cursor.
  ///   - program: the table of commands.
  init(_ words: [String], program: CommandEntry) {
    var line = Line(command: program)
    for word in words.dropLast() { line.read(word) }
    let last = words.last ?? ""
    given = line.given
    if let option = line.pending {
      (offer, typed, prefix) = (.value(option.completion), last, "")
    } else if !line.hasOnlyValues, let (option, value) = line.assignment(last) {
      (offer, typed, prefix) = (.value(option.completion), value, "--\(option.name)=")
    } else {
      (offer, typed, prefix) = (line.offer(at: last), last, "")
    }
  }
}

/// The state that the words before the cursor lead to.
private struct Line {
  private(set) var command: CommandEntry
  /// The option whose value comes next.
  private(set) var pending: ArgumentDefinition?
  /// Whether `--` was read, after which no word is an option.
  private(set) var hasOnlyValues = false
  private(set) var given: [String: String] = [:]
  private var place = 0

  init(command: CommandEntry) {
    self.command = command
  }

  mutating func read(_ word: String) {
    if let option = pending {
      given[option.name] = word
      pending = nil
    } else if hasOnlyValues || !Self.isOption(word) {
      if let next = command.subcommands.first(where: { $0.path.last == word }) {
        command = next
      } else {
        place += 1
      }
    } else if word == "--" {
      hasOnlyValues = true
    } else if let (option, value) = assignment(word) {
      given[option.name] = value
    } else if let option = options.first(where: { "--" + $0.name == word }) {
      if option.kind == .option { pending = option } else { given[option.name] = "" }
    }
  }

  /// The option and the value of a word `--option=value`.
  func assignment(_ word: String) -> (option: ArgumentDefinition, value: String)? {
    guard let sign = word.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    let option = options.first { $0.kind == .option && "--" + $0.name == word[..<sign] }
    return option.map { ($0, String(word[word.utf8.index(after: sign)...])) }
  }

  /// What fits in place of a word that is not an option's value.
  func offer(at word: String) -> CompletionRequest.Offer {
    if !hasOnlyValues, word.utf8.first == UInt8(ascii: "-") {
      let open = options.filter { $0.isRepeating || given[$0.name] == nil }
      return .words(open.map { .init(word: "--" + $0.name, description: $0.help) })
    }
    guard command.subcommands.isEmpty else {
      // After an unknown word nothing is known to fit.
      if place > 0 { return .value(.nothing) }
      let commands = command.subcommands.map(\.configuration)
      return .words(commands.map { .init(word: $0.commandName, description: $0.abstract) })
    }
    let values = command.values
    return .value(place < values.count ? values[place].completion : .nothing)
  }

  private var options: [ArgumentDefinition] { command.options + command.common }

  private static func isOption(_ word: String) -> Bool {
    word.utf8.first == UInt8(ascii: "-") && word != "-"
  }
}
