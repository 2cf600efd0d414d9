import Configuration
import Domain
import Store

/// A project named by its id, in letters of either case, or by its name.
struct ProjectReference: ExpressibleByArgument {
  /// The most projects that a message names.
  private static let mostNamed = 5

  /// The typed text.
  let text: String

  init?(argument: String) {
    // An API key pasted in its place must not be repeated.
    guard !argument.isEmpty, !argument.hasPrefix("llk_") else { return nil }
    text = argument
  }

  static var completion: CompletionKind { .identifiers(.project) }
  static var expectation: String { "a project's id or name" }

  /// The id; nil when the text does not have the form of one.
  var id: ProjectID? { ProjectID(text.lowercased()) }

  /// Finds the project.
  ///
  /// - Parameter reader: reads the projects.
  /// - Returns: the project of that id; without an id, the only project of that name, in letters of either case.
  /// - Throws: `CommandFailure` that names the projects which may be meant.
  func find(in reader: StoreReader) throws -> Project {
    if let id, let project = try reader.knowledge.project(id) { return project }
    let projects = try reader.knowledge.projects()
    // A text in the form of an id is never taken for a name, though an old name may have that form.
    guard id == nil else { throw CommandFailure(.refused, unknown(among: projects)) }
    let named = projects.filter { $0.name == text }
    let candidates =
      named.isEmpty ? projects.filter { $0.name.lowercased() == text.lowercased() } : named
    if let only = candidates.first, candidates.count == 1 { return only }
    throw CommandFailure(
      .refused, candidates.isEmpty ? unknown(among: projects) : ambiguous(candidates))
  }

  private func ambiguous(_ candidates: [Project]) -> String {
    "\(candidates.count) projects are called \(quoted(text)): \(Self.list(candidates)). "
      + "Name the one that is meant by its id."
  }

  private func unknown(among projects: [Project]) -> String {
    let start = "There is no project \(id?.description ?? quoted(text))"
    if let near = nearest(to: text, in: projects.map(\.id.description), limit: 1).first {
      return start + "; did you mean \(near)?"
    }
    let near = Set(nearest(to: text, in: projects.map(\.name)))
    let meant = projects.filter { near.contains($0.name) }
    if !meant.isEmpty { return start + "; did you mean \(Self.list(meant))?" }
    if projects.isEmpty {
      return start + ", nor any other. Add one: launchlink project create --help"
    }
    return start + ". There are \(Self.list(projects)). See launchlink project list."
  }

  /// The first few projects, by name and id.
  private static func list(_ projects: [Project]) -> String {
    let named = projects.prefix(mostNamed).map { "\($0.name.withUnseenEscaped) (\($0.id))" }
    let rest = projects.count - named.count
    return named.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}
