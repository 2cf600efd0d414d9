import Domain
import JSON
import Store

/// `launchlink stats`.
struct StatsCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "stats", abstract: "Show the number of issued launches.",
      discussion: """
        Launches that the server answered, each item of a batch by itself; days are those of UTC, the last
        one is today. A server writes its counts once a second. Launches that the command issues are not
        counted: the audit log has them.
        """,
      examples: [
        "launchlink stats", "launchlink stats --days 7 --by project",
        "launchlink stats --project 67b6f2a9688f4a05db0a1d45 --by page --output json",
      ])
  }

  @Option("COUNT", in: 1...LaunchCount.daysKept, help: "The number of days, today included.")
  var days = 30
  @Option("PROJECT", help: "Only the launches of this project, by its id or its name.")
  var project: ProjectReference?
  @Option(help: "What to count by.") var by = LaunchProperty.day

  func run(in context: Context) throws {
    let reader = try context.store().makeReader()
    let today = Day(context.clock())
    let period = today.advanced(by: 1 - days)...today
    // A deleted project still has counts, which its id alone finds.
    let project = try self.project.map { try $0.id ?? $0.find(in: reader).id }
    let counts = try reader.happenings.launchCounts(by: [by], in: period, of: project).first ?? []
    if let reference = self.project, counts.isEmpty { _ = try reference.find(in: reader) }
    let statistics = Statistics(
      property: by, period: period, project: project,
      counts: by == .day ? Self.everyDay(of: period, counts) : counts,
      names: try names(reader, of: project))
    if statistics.total == 0, context.globals.output == .table {
      return context.note(
        "No launches were counted from \(period.lowerBound) to \(period.upperBound) (UTC).")
    }
    try context.show(
      statistics.json, table: statistics.text(width: context.console.outputWidth ?? 80))
  }

  /// The counts, with days without a launch.
  private static func everyDay(
    of period: ClosedRange<Day>, _ counts: [LaunchCount]
  ) -> [LaunchCount] {
    let known = Dictionary(uniqueKeysWithValues: counts.map { ($0.value, $0.launches) })
    return period.map { day in
      LaunchCount(value: day.description, launches: known[day.description] ?? 0)
    }
  }

  /// The names of projects or keys, by id.
  private func names(
    _ reader: StoreReader, of project: ProjectID?
  ) throws -> [String: String] {
    let named: [(String, String)] =
      switch by {
      case .project: try reader.knowledge.projects().map { ($0.id.description, $0.name) }
      case .key: try reader.knowledge.apiKeys(of: project).map { ($0.id.description, $0.name) }
      case .page, .platform, .day: []
      }
    return Dictionary(uniqueKeysWithValues: named)
  }
}

extension LaunchProperty: ExpressibleByArgument {}

/// Counts in the forms of output.
private struct Statistics {
  private static let leastBar = 10

  let property: LaunchProperty
  let period: ClosedRange<Day>
  let project: ProjectID?
  let counts: [LaunchCount]
  let names: [String: String]

  var total: Int { counts.reduce(0) { $0 + $1.launches } }

  private var isNamed: Bool { property == .project || property == .key }

  // MARK: For programs

  var json: JSON {
    [
      "from": .string(period.lowerBound.description), "to": .string(period.upperBound.description),
      "project_id": JSON(project?.description), "total": .integer(Int64(total)),
      "items": .array(counts.map(item)),
    ]
  }

  private func item(_ count: LaunchCount) -> JSON {
    let value = JSON(count.value.isEmpty ? nil : count.value)
    let name =
      switch property {
      case .project, .key: property.rawValue + "_id"
      case .page, .platform, .day: property.rawValue
      }
    var members = [JSON.Member(name: name, value: value)]
    if isNamed { members.append(JSON.Member(name: "name", value: JSON(names[count.value]))) }
    members.append(JSON.Member(name: "launches", value: .integer(Int64(count.launches))))
    return .object(members)
  }

  // MARK: For people

  /// A line for each count, with a bar that fits the terminal.
  func text(width: Int) -> String {
    let rows = counts.map { (labels(of: $0), $0.launches.grouped, $0.launches) }
    let heading = [property.rawValue.uppercased()] + (isNamed ? ["NAME"] : [])
    let footer = ["Total"] + (isNamed ? [""] : [])
    let widths = heading.indices.map { column in
      ([heading, footer] + rows.map(\.0)).map { $0[column].displayWidth }.max() ?? 0
    }
    let numberWidth = max("LAUNCHES".count, total.grouped.count)
    let columns = max(
      Self.leastBar, width - widths.reduce(0) { $0 + $1 + 2 } - numberWidth - 2)
    let largest = counts.map(\.launches).max() ?? 0
    let line: ([String], String, String) -> String = { labels, number, rest in
      let left = zip(labels, widths).map { $0.padded(to: $1 + 2) }.joined()
      let text = left + String(repeating: " ", count: numberWidth - number.count) + number
      return (rest.isEmpty ? text : text + "  " + rest) + "\n"
    }
    return line(heading, "LAUNCHES", "")
      + rows.map { labels, number, launches in
        line(labels, number, Bar.text(of: launches, largest: largest, columns: columns))
      }.joined()
      + line(footer, total.grouped, "\(period.lowerBound) to \(period.upperBound) UTC")
  }

  private func labels(of count: LaunchCount) -> [String] {
    let value = count.value.isEmpty ? "(none)" : count.value.withUnseenEscaped
    return isNamed ? [value, names[count.value]?.withUnseenEscaped ?? "(deleted)"] : [value]
  }
}

extension Int {
  /// The number with a comma before every three digits, such as `12,345`.
  fileprivate var grouped: String {
    var text = ""
    for (index, digit) in String(self).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }
}

extension String {
  /// The text with spaces behind it, as wide as `columns`.
  fileprivate func padded(to columns: Int) -> String {
    self + String(repeating: " ", count: max(0, columns - displayWidth))
  }
}
