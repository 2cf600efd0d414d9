import Configuration
import Domain
import Store

/// A project as people type it: by its id, letters in either case, or by its name.
struct ProjectReference: ExpressibleByArgument {
  /// Projects that a message names at the most.
  private static let mostNamed = 5

  /// As it was typed.
  let text: String

  init?(argument: String) {
    // Whoever pastes an API key in its place must not see it repeated.
    guard !argument.isEmpty, !argument.hasPrefix("llk_") else { return nil }
    text = argument
  }

  static var completion: CompletionKind { .identifiers(.project) }
  static var expectation: String { "a project's id or name" }

  /// The id, where an id was typed.
  var id: ProjectID? { ProjectID(text.lowercased()) }

  /// Finds the project.
  ///
  /// - Parameter reader: where projects are looked for.
  /// - Returns: the project of that id; where no id was typed, the only one of that name, letters in
  ///   either case.
  /// - Throws: `CommandFailure` with the projects that may be meant.
  func find(in reader: any StoreReader) throws -> Project {
    if let id, let project = try reader.project(id) { return project }
    let projects = try reader.projects()
    // What has the form of an id never is a name, though one from before may look so.
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

  /// Names with ids, the first few.
  private static func list(_ projects: [Project]) -> String {
    let named = projects.prefix(mostNamed).map { "\($0.name.withUnseenEscaped) (\($0.id))" }
    let rest = projects.count - named.count
    return named.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}
