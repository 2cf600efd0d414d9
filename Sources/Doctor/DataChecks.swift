import Configuration
import Domain
import Glibc
import Platform
import SQLiteStore
import Store
import StoreTransfer

extension HealthCheck {
  static let configuration = HealthCheck(name: "configuration") { patient in
    switch patient.loaded {
    case .success(let loaded):
      [.ok("valid" + (loaded.file.map { ": \($0)" } ?? ", without a file"))]
    case .failure(let faults):
      faults.all.map {
        .error(
          $0.description, why: "the server does not start with it",
          mend: "correct it, then: launchlink config check")
      }
    }
  }

  static let dataDirectory = HealthCheck(name: "data directory") { patient in
    guard let owner = patient.owner, let facts = FileFacts(patient.directory) else {
      return [
        .error(
          "there is no data directory \(patient.directory)",
          why: "database and master key belong there",
          mend: "launchlink init --data-directory \(patient.directory), or name another one")
      ]
    }
    var findings: [HealthFinding] = []
    if ![owner.user, 0].contains(geteuid()) {
      findings.append(
        .error(
          "\(patient.directory) belongs to \(SystemUser.name(of: owner.user)), and "
            + "\(SystemUser.name(of: geteuid())) looks at it",
          why: "files that another user makes beside the database lock the server out",
          mend:
            owner.user == 0
            ? "run the command as root"
            : "run the command as \(SystemUser.name(of: owner.user)), or as root, which becomes that user"
        ))
    }
    if facts.mode & 0o077 != 0 {
      findings.append(
        .warning(
          "\(patient.directory) has mode \(facts.octal)",
          why: "others could see or change what is in it",
          mend: "chmod 0700 \(patient.directory)"))
    }
    return findings.isEmpty
      ? [.ok("\(patient.directory) of \(SystemUser.name(of: owner.user))")] : findings
  }

  static let files = HealthCheck(name: "files") { patient in
    guard let owner = patient.owner else { return [] }
    var findings: [HealthFinding] = []
    for (path, facts) in patient.files {
      if facts.owner != owner.user {
        findings.append(
          .error(
            "\(path) belongs to \(SystemUser.name(of: facts.owner)), the directory to "
              + SystemUser.name(of: owner.user),
            why: "the server cannot open or write it",
            mend: "chown --reference=\(patient.directory) \(path)"))
      }
      if facts.mode & 0o077 != 0, !path.hasSuffix("/master.key") {
        findings.append(
          .warning(
            "\(path) has mode \(facts.octal)", why: "others could read or change what it holds",
            mend: "chmod 0600 \(path)"))
      }
    }
    for name in StoreTransfer.deadPartials(in: patient.directory) {
      let path = patient.directory + "/" + name
      findings.append(
        .warning(
          "\(path) was left behind by a command that was killed",
          why: "it is a copy of the database that nobody needs", mend: "rm \(path)"))
    }
    return findings.isEmpty && !patient.files.isEmpty
      ? [.ok("\(patient.files.count) files, owner and mode right")] : findings
  }

  static let masterKey = HealthCheck(name: "master key") { patient in
    guard patient.owner != nil else { return [] }
    var findings: [HealthFinding] = []
    if case .failure(let error) = patient.keyRing {
      findings.append(
        .error(
          "\(error)", why: "without the key ring no secret of the database opens",
          mend: "put the right file in place, owned by the user of the service, with mode 0600"))
    }
    let name = FilePath.name(of: patient.masterKeyFile)
    let start = name + ".new."
    for left in FilePath.names(in: FilePath.directory(of: patient.masterKeyFile))
    where left.utf8.starts(with: start.utf8) {
      let path = patient.masterKeyFile[..<name.startIndex] + left
      findings.append(
        .warning(
          "\(path) was left behind by a command that was killed",
          why: "it is a copy of the key ring that nobody needs", mend: "rm \(path)"))
    }
    return findings.isEmpty ? [.ok(patient.masterKeyFile)] : findings
  }

  static let database = HealthCheck(name: "database") { patient in
    guard patient.owner != nil else { return [] }
    switch patient.facts {
    case .failure(let error):
      return [
        .error(
          "\(error)", why: "the server cannot start on it",
          mend: "launchlink db check, or launchlink db restore FILE --replace")
      ]
    case .success(let facts):
      var findings = facts.report.faults.filter { $0.check != "signing_keys" }.map {
        HealthFinding.error(
          $0.message, why: "what depends on it fails",
          mend: "launchlink db check, then launchlink db restore FILE --replace")
      }
      if facts.report.schemaVersion < facts.report.latestVersion {
        findings.append(
          .warning(
            "it has schema version \(facts.report.schemaVersion), this program "
              + "\(facts.report.latestVersion)",
            why: "the next command or start brings it up to date, and keeps a copy",
            mend: "launchlink project list"))
      }
      return findings.isEmpty
        ? [.ok("schema version \(facts.report.schemaVersion), a quick check found nothing")]
        : findings
    }
  }

  static let backups = HealthCheck(name: "backups") { patient in
    guard let facts = patient.known else { return [] }
    var findings = lackingKeys(patient)
    let mend = "launchlink db backup FILE, daily (README, \"Back up and restore\")"
    let why = "what was changed since is lost with the disk"
    if let last = facts.report.lastBackup {
      let days = (patient.now.seconds - last.seconds) / 86_400
      if days >= 7 {
        findings.append(.warning("the last backup is \(days) days old", why: why, mend: mend))
      }
      if let copy = patient.copies.first, copy.origin == .backup, copy.place == .there,
        case let file = copy.path, let found = FileFacts(file), found.mode & 0o077 != 0
      {
        findings.append(
          .warning(
            "\(file) has mode \(found.octal)", why: "others could read the database's copy",
            mend: "chmod 0600 \(file)"))
      }
      if findings.isEmpty {
        findings.append(.ok("the last one is of \(last)" + elsewhere(patient)))
      }
    } else if let restore = facts.report.lastRestore {
      findings.append(
        .warning("no backup was made since the restore at \(restore)", why: why, mend: mend))
    } else {
      findings.append(.warning("there was never a backup", why: why, mend: mend))
    }
    return findings
  }

  /// Warnings of copies that the key ring does not open; of copies that are gone only the last backup counts.
  private static func lackingKeys(_ patient: Patient) -> [HealthFinding] {
    guard let ring = try? patient.keyRing.get() else { return [] }
    let closed = patient.copies.enumerated().compactMap { number, copy -> HealthFinding? in
      let lacking = copy.masterKeys.filter { !ring.holds($0) }
      guard !lacking.isEmpty, copy.place == .there || number == 0 else { return nil }
      return .warning(
        "\(copy.name) needs the master key \(lacking.joined(separator: ", ")), which the key ring does not "
          + "hold",
        why: "it can be restored with a copy of the key ring that has the key, and not without",
        mend: "launchlink db backup FILE; then \(copy.disposal)")
    }
    guard closed.count > mostCopies else { return closed }
    return closed.prefix(mostCopies) + [
      .warning(
        "\(closed.count - mostCopies) more backups need master keys that the key ring does not hold",
        why: "they cannot be restored without them",
        mend: "launchlink audit list --action db.backup shows which key each needs")
    ]
  }

  /// The number, in words, of moved or lost backups that need master keys which the key ring lacks.
  private static func elsewhere(_ patient: Patient) -> String {
    guard let ring = try? patient.keyRing.get() else { return "" }
    let count = patient.copies.dropFirst()
      .count { $0.place != .there && !$0.masterKeys.allSatisfy(ring.holds) }
    guard count > 0 else { return "" }
    return "; \(count) earlier, not where \(count == 1 ? "it was" : "they were") made, "
      + "\(count == 1 ? "needs" : "need") a master key that the key ring does not hold (launchlink audit "
      + "list --action db)"
  }

  private static let mostCopies = 5
}
