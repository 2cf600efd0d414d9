import Configuration
import Domain
import SQLiteStore
import Store

extension HealthCheck {
  private static let soon = APIKey.noticePeriod
  private static let long = 90 * 86_400

  static let signingKeys = HealthCheck(name: "signing keys") { patient in
    guard let facts = patient.known else { return [] }
    var findings = facts.report.faults.filter { $0.check == "signing_keys" }.map {
      HealthFinding.error(
        $0.message, why: "no launch can be issued",
        mend: "launchlink signing-key create, then launchlink signing-key activate KEYID")
    }
    for key in facts.signingKeys where key.state == .pending {
      if key.createdAt.adding(seconds: soon) < patient.now {
        findings.append(
          .warning(
            "\(key.id) has been pending since \(key.createdAt)",
            why: "an export holds it, and it does not sign",
            mend: "launchlink signing-key activate \(key.id), or signing-key retire \(key.id)"))
      }
    }
    let verifying = facts.signingKeys.filter {
      $0.state == .retired && $0.verifies(at: patient.now)
    }
    let active = facts.signingKeys.first { $0.state == .active }
    return findings.isEmpty
      ? [
        .ok(
          "\(active.map { "\($0.id) signs" } ?? "none")"
            + (verifying.isEmpty ? "" : ", \(verifying.count) retired still verify"))
      ] : findings
  }

  static let apiKeys = HealthCheck(name: "API keys") { patient in
    guard let facts = patient.known else { return [] }
    let alive = facts.apiKeys.filter { !$0.isRevoked }
    var findings: [HealthFinding] = []
    for key in alive {
      let successor = APIKey.workingSuccessor(of: key.id, among: facts.apiKeys, at: patient.now)
      let name = "\(key.id)" + (key.name.isEmpty ? "" : " (\(key.name))")
      let used = facts.lastUses[key.id]
      if let end = key.expiresAt, !key.works(at: patient.now) {
        // A key that was accepted shortly before its end is missed now.
        if let used, used.adding(seconds: soon) >= end,
          end.adding(seconds: soon) > patient.now,
          successor.map({ facts.lastUses[$0.id] == nil }) ?? true
        {
          findings.append(
            .warning(
              "\(name) expired at \(end) and was in use", why: "its owner is refused since",
              mend: successor.map {
                "hand its successor \($0.id) over, or make another: \(replacement(for: $0))"
              } ?? "\(replacement(for: key)), and hand the new key over"))
        }
      } else if let end = key.expiresAt, end < patient.now.adding(seconds: soon), let successor {
        findings.append(
          .ok("\(name) ends at \(end); its successor is \(successor.id): hand it over before"))
      } else if let end = key.expiresAt, end < patient.now.adding(seconds: soon) {
        findings.append(
          .warning(
            "\(name) expires at \(end)", why: "its owner is refused from then on",
            mend: facts.apiKeys.contains { $0.replaces == key.id }
              ? "\(replacement(for: key)), and hand the new key over"
              : "launchlink key rotate \(key.id) --grace 24h"))
      } else if (used ?? key.createdAt).adding(seconds: long) < patient.now {
        findings.append(
          .warning(
            "\(name) was "
              + (used.map { "last used at \($0)" } ?? "never used since \(key.createdAt)"),
            why: "a key that nobody needs can only leak", mend: "launchlink key revoke \(key.id)"))
      }
    }
    return findings.isEmpty ? [.ok("\(alive.count) not revoked, none about to expire")] : findings
  }

  /// The command that makes a key with the same scopes and project.
  private static func replacement(for key: APIKey) -> String {
    "launchlink key create " + key.scopeNames.map { "--scope \($0)" }.joined(separator: " ")
      + (key.projectID.map { " --project \($0)" } ?? "")
  }

  static let projects = HealthCheck(name: "projects") { patient in
    guard let facts = patient.known else { return [] }
    var findings: [HealthFinding] = []
    for project in facts.projects {
      let name = "\(project.id) (\(project.name))"
      if project.keyDelivery == .direct {
        findings.append(
          .warning(
            "\(name) has key delivery direct",
            why: "phones get the real Web API Key, and expiry, log-out and single use bind nobody",
            mend: "guard the cashback web, then: launchlink project update \(project.id) "
              + "--key-delivery gateway, and change the Web API Key"))
      }
      if let site = patient.configuration?.site, site.upstreams[project.upstream] == nil {
        findings.append(
          .error(
            "\(name) goes to the upstream \(quoted(project.upstream)), which is not configured",
            why: "its launches are refused",
            mend: "add it under upstreams, or: launchlink project update \(project.id) --upstream "
              + (site.upstreams.keys.sorted().first ?? "NAME")))
      }
    }
    return findings.isEmpty
      ? [.ok("\(facts.projects.count), each with a configured upstream")] : findings
  }
}
