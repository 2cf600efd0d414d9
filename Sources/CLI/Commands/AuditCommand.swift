import Configuration
import Domain
import JSON
import Store

/// `launchlink audit …`.
struct AuditCommand: CommandGroup {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "audit", abstract: "Read the audit log.",
      discussion: """
        Every change by the command, and each look at something secret, is one row: when, which system
        user and who became it through sudo, what was done to what, old and new.
        """,
      examples: ["launchlink audit list --action key.revoke --since 7d"],
      subcommands: [AuditList.self])
  }
}

/// `launchlink audit list`.
struct AuditList: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "list", abstract: "List what was done, newest first.",
      examples: [
        "launchlink audit list --action key --since 2026-11-01",
        "launchlink audit list --subject 67b6f2a9688f4a05db0a1d45 --output json",
      ])
  }

  @Option("ACTION", help: "Only this action, such as key.revoke, or all of a noun: key.")
  var action: AuditedAction?
  @Option("SUBJECT", help: "Only what was done to this, mostly an id.") var subject: String?
  @Option("USER", help: "Only what this user did, by system user or SUDO_USER.") var user: String?
  @Option("TIME", help: "From then on: a time, a date (UTC), or a length of time back such as 7d.")
  var since: PastTime?
  @Option("TIME", help: "Up to then; a date counts whole.") var until: PastTime?
  @Option("COUNT", in: AuditQuery.limits, help: "The most rows to show.")
  var limit = AuditQuery.defaultLimit

  func run(in context: Context) throws {
    let now = context.clock()
    var query = AuditQuery()
    query.action = action?.name
    query.subject = subject
    query.user = user
    query.since = since?.start(now: now)
    query.until = until?.end(now: now)
    if let start = query.since, let end = query.until, start > end {
      throw UsageError("--since is later than --until: no time lies between them.")
    }
    // One more than shown tells whether there are more.
    query.limit = limit + 1
    let found = try context.store().makeReader().knowledge.auditEntries(query)
    try context.show(
      Array(found.prefix(limit)), json: Self.json,
      headings: ["TIME", "USER", "ACTION", "SUBJECT", "CHANGE"], none: "There is no such row."
    ) { entry in
      let user = entry.actor.osUser + (entry.actor.sudoUser.map { " (\($0))" } ?? "")
      return [entry.at.description, user, entry.action, entry.subject, Self.change(of: entry)]
    }
    if found.count > limit {
      context.note("There are more: say --limit, or narrow the search.")
    }
  }

  private static func json(_ entry: AuditEntry) -> JSON {
    [
      "at": .string(entry.at.description), "os_user": .string(entry.actor.osUser),
      "sudo_user": JSON(entry.actor.sudoUser), "action": .string(entry.action),
      "subject": .string(entry.subject), "old": entry.old ?? .null, "new": entry.new ?? .null,
    ]
  }

  /// The differences, on one line.
  private static func change(of entry: AuditEntry) -> String {
    guard let new = entry.new?.objectValue else {
      return [entry.old, entry.new].compactMap { $0.map(text) }.joined(separator: " → ")
    }
    guard let old = entry.old else {
      return new.filter { !$0.value.isNull }.map { "\($0.name)=\(text($0.value))" }
        .joined(separator: " ")
    }
    return new.filter { old[$0.name] != $0.value }
      .map { "\($0.name)=\(text(old[$0.name] ?? .null))→\(text($0.value))" }
      .joined(separator: " ")
  }

  private static func text(_ value: JSON) -> String {
    value.stringValue ?? (value.isNull ? "-" : String(decoding: value.encoded(), as: UTF8.self))
  }
}

/// An audited action such as `key.revoke`, or the noun before the dot for all of its actions.
struct AuditedAction: ExpressibleByArgument {
  let name: String

  init?(argument: String) {
    guard Self.allValueStrings.contains(argument) else { return nil }
    name = argument
  }

  static var allValueStrings: [String] {
    let nouns = AuditQuery.actions.compactMap { $0.split(separator: ".").first.map(String.init) }
    return Set(nouns + AuditQuery.actions).sorted()
  }
}

/// A moment in the past as people write it.
enum PastTime: ExpressibleByArgument {
  case moment(Timestamp)
  /// A whole day, held by its first moment.
  case day(Timestamp)
  case ago(Seconds)

  init?(argument: String) {
    if let length = Seconds(argument: argument) {
      self = .ago(length)
    } else if let day = Timestamp(rfc3339: argument + "T00:00:00Z") {
      self = .day(day)
    } else if let moment = Timestamp(rfc3339: argument) {
      self = .moment(moment)
    } else {
      return nil
    }
  }

  func start(now: Timestamp) -> Timestamp {
    switch self {
    case .moment(let time), .day(let time): time
    case .ago(let length): now.adding(seconds: -length.count)
    }
  }

  /// The last moment that belongs to it; a time includes its whole second, since times are shown in seconds.
  func end(now: Timestamp) -> Timestamp {
    switch self {
    case .moment(let time): Timestamp(milliseconds: time.milliseconds + 999)
    case .day(let time): Timestamp(milliseconds: time.adding(seconds: 86_400).milliseconds - 1)
    case .ago: start(now: now)
    }
  }

  static var expectation: String {
    "a time such as 2026-11-29T12:00:00Z, a date such as 2026-11-29, or a length of time such as 7d"
  }
}
