import Configuration
import Domain
import SQLiteStore
import Store

/// `launchlink __complete [SHELL] -- WORDS`: the completions of a command line, for the shells' scripts.
///
/// WORDS are the words after the program's name up to the cursor; the last one is the word at the cursor, which may
/// be empty. Each line of output is a candidate, with a description after a tab if the shell shows one. `:files`
/// or `:directories` alone leaves the candidates to the shell. When something goes wrong nothing is printed, since
/// an error would appear in the line that the user types.
struct CompleteCommand {
  /// The first argument, which calls the command.
  static let name = "__complete"
  /// The most ids that are offered; a user who sees so many types another letter.
  private static let mostIdentifiers = 300

  private let request: CompletionRequest
  private let shell: CompletionShell?
  /// The number of leading characters of each candidate that the shell does not replace.
  private let cut: Int
  private let environment: [String: String]

  /// Reads the arguments after the command's name.
  init(_ arguments: ArraySlice<String>, environment: [String: String]) {
    let options = arguments.prefix { $0 != "--" }
    var words = Array(arguments.dropFirst(options.count + 1))
    shell = options.first.flatMap(CompletionShell.init)
    cut = shell == .bash ? Self.joinWordsOfBash(&words) : 0
    request = CompletionRequest(words, program: CommandEntry(LaunchLinkCommand.self))
    self.environment = environment
  }

  /// The text that is printed.
  var output: String {
    switch request.offer {
    case .words(let candidates): lines(candidates)
    case .value(.files): ":files\n"
    case .value(.directories): ":directories\n"
    case .value(let kind): lines(values(of: kind))
    }
  }

  /// The candidates that begin with the typed text, a line each.
  private func lines(_ candidates: [CompletionRequest.Candidate]) -> String {
    candidates.filter { $0.word.utf8.starts(with: request.typed.utf8) }.map { candidate in
      let word = String((request.prefix + candidate.word).dropFirst(cut))
      guard shell != .bash, !candidate.description.isEmpty else { return word + "\n" }
      return word + "\t" + candidate.description.withUnseenEscaped + "\n"
    }.joined()
  }

  private func values(of kind: CompletionKind) -> [CompletionRequest.Candidate] {
    switch kind {
    case .values(let values): values.map { .init(word: $0) }
    case .identifiers(let kind): identifiers(of: kind)
    case .categories:
      site.map { $0.categories.map { .init(word: $0.key, description: $0.label) } } ?? []
    case .pages: site.map { $0.pages.map { .init(word: $0.name, description: $0.path) } } ?? []
    case .upstreams:
      site.map { site in
        site.upstreams.sorted { $0.key < $1.key }.map { name, upstream in
          .init(word: name, description: upstream.baseURL)
        }
      } ?? []
    case .files, .directories, .nothing: []
    }
  }

  /// The ids in the store; none when this user may not open it.
  private func identifiers(of kind: IdentifierKind) -> [CompletionRequest.Candidate] {
    guard let source else { return [] }
    let directory = source.text(of: Settings.dataDirectory) ?? ".launchlink"
    do {
      let owner = try DirectoryOwner(of: directory)
      try owner.admit(to: directory)
      try owner.assume(path: directory)
      return try SQLiteStore.identifiers(
        of: kind, startingWith: request.typed, limit: Self.mostIdentifiers, directory: directory
      ).map { .init(word: $0.id, description: $0.label) }
    } catch {
      return []
    }
  }

  /// The configured site; nil when the configuration has a fault.
  private var site: Site? { source.flatMap { try? $0.load().configuration.site } }

  /// The sources of the configuration; nil when reading them may wait.
  private var source: ConfigurationSource? {
    var options: [String: String] = [:]
    options[Settings.dataDirectory.name] = request.given[Settings.dataDirectory.option]
    let source = ConfigurationSource(
      file: request.given["config"], environment: environment, options: options)
    return source.mayWait ? nil : source
  }

  /// Joins the words that bash splits at `=` and `:`, which it takes for words of their own.
  ///
  /// - Returns: the number of characters of the last word before its last part; bash replaces that part only.
  private static func joinWordsOfBash(_ words: inout [String]) -> Int {
    let separators: Set = ["=", ":"]
    var joined: [String] = []
    var (cut, isOpen) = (0, false)
    for word in words {
      let isSeparator = separators.contains(word)
      guard isSeparator || isOpen, let last = joined.last else {
        joined.append(word)
        (cut, isOpen) = (0, false)
        continue
      }
      cut = last.count + (isSeparator ? word.count : 0)
      joined[joined.count - 1] = last + word
      isOpen = isSeparator
    }
    words = joined
    return cut
  }
}
