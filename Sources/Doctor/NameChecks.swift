import Domain
import SQLiteStore
import Store

extension HealthCheck {
  /// Names that are older than the rule for names and break it: they stay, and may look like others.
  static let names = HealthCheck(name: "names") { patient in
    guard let facts = patient.known else { return [] }
    let projects = facts.projects.compactMap { project in
      objection(to: project.name, by: Project.name).map {
        (project.id.description, "\(project.id) (\(project.name.withUnseenEscaped)): \($0)")
      }
    }
    let keys = facts.apiKeys.filter { !$0.isRevoked }.compactMap { key in
      objection(to: key.name, by: APIKey.name).map {
        (key.id.description, "\(key.id) (\(key.name.withUnseenEscaped)): \($0)")
      }
    }
    let findings = [
      finding(
        ("project", "projects"), projects.count, projects,
        mend: { "launchlink project update \($0) --name NAME" }),
      finding(
        ("API key", "API keys"), keys.count, keys,
        mend: { "launchlink key create with a new --name in its place, then key revoke \($0)" }),
      finding(
        ("business", "businesses"), facts.misnamedBusinessCount, facts.misnamedBusinesses,
        mend: { "launchlink catalog update \($0) --name NAME, or as its --help says" }),
    ].compactMap(\.self)
    return findings.isEmpty ? [.ok("all as the rule for names has them")] : findings
  }

  private static func objection(
    to name: String, by rule: (String) throws(NameRule.Objection) -> String
  ) -> String? {
    do throws(NameRule.Objection) {
      _ = try rule(name)
      return nil
    } catch {
      return error.description
    }
  }

  /// One warning for all names of a kind, with the first few; nil when there is none.
  private static func finding(
    _ kind: (one: String, many: String), _ count: Int, _ found: [(id: String, words: String)],
    mend: (String) -> String
  ) -> HealthFinding? {
    guard let first = found.first else { return nil }
    let shown = found.prefix(DatabaseFacts.misnamedShown).map(\.words)
    let rest = count - shown.count
    return .warning(
      "\(count) \(count == 1 ? kind.one : kind.many) with a name or text of one line that no command takes any more: "
        + shown.joined(separator: " ") + (rest > 0 ? " And \(rest) more." : ""),
      why: "they may look like others", mend: mend(first.id))
  }
}
