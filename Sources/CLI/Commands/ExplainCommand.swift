import Configuration
import Domain
internal import Encoding
internal import Explain
import Platform
import Store

/// `launchlink explain`.
struct ExplainCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "explain", abstract: "Say in plain words why a launch fails.",
      discussion: """
        Reads what a partner pasted: a launch URL, headers as JSON, as lines or as the text of a map, a
        whole command of curl or PowerShell, or any mix of them; or what was answered: a problem
        document, x-launch-code, a status, a code, a request id. Tells what is wrong and what is right,
        the most important first, and what to tell the partner. Keys and signatures in the text are
        never shown. Exits with 0 where the launch would work now, even where a key has leaked, which is
        told as a problem; with 1 where it would not; with 65 where that cannot be told, for want of the
        URL or of the headers, because something is masked, cut off or not to be read, or because there
        is no launch in the text.
        """,
      examples: [
        "launchlink explain pasted.txt",
        "launchlink launch --project 67b6f2a9688f4a05db0a1d45 --user-id USER-123 --platform IOS \\",
        "  --curl | launchlink explain --language ko",
      ])
  }

  @Argument("FILE", help: "The pasted text; - is standard input.") var file = "-"
  @Option(help: "The words; without it, those of LC_ALL or LANG.") var language: Language?

  func run(in context: Context) throws {
    let limit = Explainer.sizeLimit
    let bytes = try file == "-" ? context.console.readInput(limit) : readFile(file, limit: limit)
    let language = language ?? Language(ofLocaleIn: context.environment)
    let explainer = Explainer(site: try context.configuration().site)
    let reader = try context.store().makeReader()
    let explanation: Explanation
    do {
      explanation = try explainer.explain(
        String(decoding: bytes, as: UTF8.self), directory: reader, at: context.clock())
    } catch let nothing as NothingToExplain {
      throw CommandFailure(.badData, nothing.text(in: language))
    }
    try context.show(explanation.json, table: explanation.text(in: language))
    switch explanation.outcome {
    case .works: return
    case .fails: throw CommandFailure(.refused)
    case .undecided, .none: throw CommandFailure(.badData)
    }
  }
}

extension Language: ExpressibleByArgument {
  /// The language of messages by the environment (POSIX.1-2017, 8.2): Korean or otherwise English.
  init(ofLocaleIn environment: [String: String]) {
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }
    self = names.first { !$0.isEmpty }?.hasPrefix("ko") == true ? .korean : .english
  }
}

extension Explanation {
  /// The explanation for a terminal.
  fileprivate func text(in language: Language) -> String {
    let labels = Labels(language)
    let rows: [(String, String?)] = [
      (labels.url, parts.url), (labels.page, parts.page), (labels.business, parts.businessID),
      (labels.category, parts.category),
      (labels.project, [parts.projectName, parts.projectID].joinedParts),
      (labels.platform, parts.platform), (labels.user, parts.user),
      (labels.issued, parts.issuedAt.map { Wording.moment($0)[language] }),
      (labels.expires, parts.expiresAt.map { Wording.moment($0)[language] }),
    ]
    let table = Table.properties(rows.compactMap { name, value in value.map { (name, $0) } })
    let lines = findings.map { finding in
      let advice = finding.advice(in: language).map {
        "\n    \(labels.advice): \($0.withUnseenEscaped)"
      }
      return "\(labels.name(of: finding.severity)): \(finding.text(in: language).withUnseenEscaped)"
        + (advice ?? "")
    }
    return verdict[language] + "\n\n" + lines.joined(separator: "\n") + "\n"
      + (table.isEmpty ? "" : "\n")
      + table
  }
}

extension [String?] {
  fileprivate var joinedParts: String? {
    let parts = compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}

/// The words around an explanation.
private struct Labels {
  let language: Language

  init(_ language: Language) {
    self.language = language
  }

  private func words(_ korean: String, _ english: String) -> String {
    Wording(korean: korean, english: english)[language]
  }

  var advice: String { words("파트너 안내", "Tell the partner") }
  var url: String { "URL" }
  var page: String { words("페이지", "Page") }
  var business: String { words("비즈니스 ID", "Business ID") }
  var category: String { words("카테고리", "Category") }
  var project: String { words("프로젝트", "Project") }
  var platform: String { words("플랫폼", "Platform") }
  var user: String { words("사용자", "User") }
  var issued: String { words("발급", "Issued") }
  var expires: String { words("만료", "Expires") }

  func name(of severity: Finding.Severity) -> String {
    switch severity {
    case .problem: words("문제", "PROBLEM")
    case .warning: words("주의", "WARNING")
    case .good: words("정상", "OK")
    }
  }
}
