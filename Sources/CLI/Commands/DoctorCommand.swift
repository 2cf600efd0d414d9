import Configuration
import Doctor
import Domain
import JSON

/// `launchlink doctor`.
struct DoctorCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "doctor", abstract: "Find what commonly goes wrong, and say how to mend it.",
      discussion: """
        Looks at the configuration, the data directory, keys, clock, disk and listeners, and changes
        nothing; it works also with a broken configuration, without a data directory, and while the
        server runs. Exits with 78 where anything is an error; warnings alone leave 0.
        """,
      examples: ["launchlink doctor", "launchlink doctor --output json"])
  }

  func run(in context: Context) throws {
    let patient = Patient(
      source: context.source(), environment: context.environment, now: context.clock())
    let findings = HealthCheck.all.flatMap { check in
      check.examine(patient).map { (check: check.name, finding: $0) }
    }
    try context.show(
      ["findings": .array(findings.map(Self.json))], table: findings.map(Self.text).joined())
    let errors = findings.filter { $0.finding.level == .error }.count
    guard errors == 0 else {
      throw CommandFailure(
        .configuration, "There \(errors == 1 ? "is an error" : "are \(errors) errors").")
    }
  }

  private static func json(_ check: String, _ finding: HealthFinding) -> JSON {
    [
      "check": .string(check), "level": .string(finding.level.rawValue),
      "what": .string(finding.what), "why": .string(finding.why), "mend": .string(finding.mend),
    ]
  }

  private static func text(_ check: String, _ finding: HealthFinding) -> String {
    let head = "\(finding.level.rawValue): \(check): \(finding.what)".withUnseenEscaped + "\n"
    guard finding.level != .ok else { return head }
    return head
      + "  why: \(finding.why.withUnseenEscaped)\n  mend: \(finding.mend.withUnseenEscaped)\n"
  }
}
