import Configuration
import Domain
import Store

/// `launchlink __complete [SHELL] -- WORDS`: what a shell's completions ask, and no person.
///
/// The words are those after the program's name, up to the cursor, whose word is the last one. It prints a
/// candidate a line, with a description behind a tab where the shell shows one; or `:files` or
/// `:directories` alone, where the shell knows better. Whatever goes wrong, it prints nothing: an error
/// would stand in the middle of what somebody types.
struct CompleteCommand {
  /// The word that calls it, as the first argument.
  static let name = "__complete"
  /// Ids that are offered at the most; whoever sees as many types another letter.
  private static let mostIdentifiers = 300

  private let request: CompletionRequest
  private let shell: CompletionShell?
  /// How much of each candidate the shell has and does not want again.
  private let cut: Int
  private let environment: [String: String]

  /// Reads the arguments behind the command's name.
  init(_ arguments: ArraySlice<String>, environment: [String: String]) {
    let options = arguments.prefix { $0 != "--" }
    var words = Array(arguments.dropFirst(options.count + 1))
    shell = options.first.flatMap(CompletionShell.init)
    cut = shell == .bash ? Self.joinWordsOfBash(&words) : 0
    request = CompletionRequest(words, program: CommandEntry(LaunchLinkCommand.self))
    self.environment = environment
  }

  /// What is printed.
  var output: String {
    switch request.offer {
    case .words(let candidates): lines(candidates)
    case .value(.files): ":files\n"
    case .value(.directories): ":directories\n"
    case .value(let kind): lines(values(of: kind))
    }
  }

  /// The candidates that begin with what is typed, a line each.
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

  /// Ids of the store, where this user may open it.
  private func identifiers(of kind: IdentifierKind) -> [CompletionRequest.Candidate] {
    guard let source else { return [] }
    let directory = source.text(of: Settings.dataDirectory) ?? ".launchlink"
    do {
      let owner = try DirectoryOwner(of: directory)
      try owner.admit(to: directory)
      try owner.assume(path: directory)
      return try FileStore.identifiers(
        of: kind, startingWith: request.typed, limit: Self.mostIdentifiers, directory: directory
      ).map { .init(word: $0.id, description: $0.label) }
    } catch {
      return []
    }
  }

  /// What is configured, where nothing is wrong with it.
  private var site: Site? { source.flatMap { try? $0.load().configuration.site } }

  /// Where the configuration is, as the command line and the environment have it; nil where reading it could
  /// wait.
  private var source: ConfigurationSource? {
    var options: [String: String] = [:]
    options[Settings.dataDirectory.name] = request.given[Settings.dataDirectory.option]
    let source = ConfigurationSource(
      file: request.given["config"], environment: environment, options: options)
    return source.mayWait ? nil : source
  }

  /// Joins what bash has split: to it, `=` and `:` are words of their own.
  ///
  /// - Returns: how much of the last word stands before its last part, which is all that bash replaces.
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
