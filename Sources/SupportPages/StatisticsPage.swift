internal import API
internal import Domain
internal import Encoding
internal import Explain
internal import HTTPServer
internal import Store

/// The page that shows how many launches were issued.
enum StatisticsPage {
  static let path = "/support/statistics"

  /// Days that are shown, today included.
  private static let days = 30
  /// The most rows of a table.
  private static let rowLimit = 50

  static func show(_ visit: SupportVisit) throws -> Response {
    let session = try visit.session()
    _ = try visit.query([])
    let today = Day(visit.context.now)
    let period = today.advanced(by: 1 - days)...today
    let reader = try visit.context.reader()
    let properties: [LaunchProperty] = [.day, .project, .page, .platform]
    // A key sees its project alone; support keys have none today, and see all.
    let counts = try reader.happenings.launchCounts(
      by: properties, in: period, of: session.key.projectID)
    let names = Dictionary(
      uniqueKeysWithValues: try reader.knowledge.projects().map { ($0.id.description, $0.name) })
    let byDay = DailyLaunches(counts[0], in: period)
    let content = page(
      byDay, projects: counts[1], names: names, pages: counts[2], platforms: counts[3],
      visit.language)
    return SupportPage(
      title: SupportText.statistics, content: content, session: session, place: .statistics
    ).response(visit)
  }

  private static func page(
    _ days: DailyLaunches, projects: [LaunchCount], names: [String: String],
    pages: [LaunchCount], platforms: [LaunchCount], _ language: Language
  ) -> HTML {
    let head: HTML = """
      <h1>\(SupportText.statisticsTitle[language])</h1>
      <p class="lead">\(SupportText.statisticsLead(from: days.first, to: days.today)[language])</p>
      """
    guard days.total > 0 else {
      return """
        \(head)
        <div class="empty"><p class="lead">\(SupportText.nothingCounted[language])</p><p class="hint">\(SupportText.nothingCountedHint[language])</p></div>
        """
    }
    return """
      \(head)
      \(figures(days, language))
      \(StatisticsChart(days).figure(in: language))
      <section aria-labelledby="projects">
      <h2 id="projects">\(SupportText.byProject[language])</h2>
      \(table(projects, SupportText.project, days.total, language) { project(id: $0, names, language) })
      </section>
      <div class="pair">
      <section aria-labelledby="pages">
      <h2 id="pages">\(SupportText.byPage[language])</h2>
      \(table(pages, SupportText.page, days.total, language) { page($0, language) })
      </section>
      <section aria-labelledby="platforms">
      <h2 id="platforms">\(SupportText.byPlatform[language])</h2>
      \(table(platforms, SupportText.platform, days.total, language) { platform($0) })
      </section>
      </div>
      <p class="hint footnote">\(SupportText.whatIsCounted[language])</p>
      """
  }

  private static func figures(_ days: DailyLaunches, _ language: Language) -> HTML {
    let busiest: HTML = """
      <strong>\(SupportText.number(days.busiest.launches))</strong> <time datetime="\(days.busiest.day.description)">\(days.busiest.day.description)</time>
      """
    return """
      <dl class="figures">
      <div><dt>\(SupportText.lastDays(Self.days)[language])</dt><dd><strong>\(SupportText.number(days.total))</strong></dd></div>
      <div><dt>\(SupportText.todaySoFar[language])</dt><dd><strong>\(SupportText.number(days.launches.last ?? 0))</strong></dd></div>
      <div><dt>\(SupportText.busiestDay[language])</dt><dd>\(busiest)</dd></div>
      </dl>
      """
  }

  private static func table(
    _ counts: [LaunchCount], _ heading: Wording, _ total: Int, _ language: Language,
    name: (String) -> HTML
  ) -> HTML {
    let rows = counts.prefix(rowLimit).map { count -> HTML in
      """
      <tr role="row">
      <td role="cell" data-label="\(heading[language])"><span>\(name(count.value))</span></td>
      <td role="cell" class="number" data-label="\(SupportText.launches[language])"><span>\(SupportText.number(count.launches))</span></td>
      <td role="cell" class="share" data-label="\(SupportText.share[language])"><span>\(StatisticsChart.share(of: count.launches, in: total))</span></td>
      </tr>
      """
    }
    let rest: HTML? =
      counts.count > rowLimit
      ? "<p class=\"hint\">\(SupportText.more(counts.count - rowLimit)[language])</p>" : nil
    return """
      <table role="table" class="counts">
      <thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">\(heading[language])</th><th role="columnheader" scope="col" class="number">\(SupportText.launches[language])</th><th role="columnheader" scope="col" class="share">\(SupportText.share[language])</th></tr></thead>
      <tbody role="rowgroup">
      \(rows)
      </tbody>
      </table>
      \(rest)
      """
  }

  private static func project(
    id: String, _ names: [String: String], _ language: Language
  ) -> HTML {
    guard let name = names[id] else {
      return
        "<code>\(id)</code> <span class=\"quiet\">\(SupportText.deletedProject[language])</span>"
    }
    return "<span class=\"project\">\(HTML.isolated(name)) <code>\(id)</code></span>"
  }

  private static func page(_ name: String, _ language: Language) -> HTML {
    name.isEmpty
      ? "<span class=\"quiet\">\(SupportText.plainLaunch[language])</span>" : "<code>\(name)</code>"
  }

  private static func platform(_ name: String) -> HTML {
    switch Platform(rawValue: name) {
    case .ios: "iOS"
    case .android: "Android"
    case nil: "\(name)"
    }
  }
}

/// The launches of each day of a period, without gaps.
struct DailyLaunches {
  let first: Day
  /// The last day of the period.
  let today: Day
  /// One count a day, from the first day to the last.
  let launches: [Int]

  init(_ counts: [LaunchCount], in period: ClosedRange<Day>) {
    let known = Dictionary(uniqueKeysWithValues: counts.map { ($0.value, $0.launches) })
    (first, today) = (period.lowerBound, period.upperBound)
    launches = period.map { known[$0.description] ?? 0 }
  }

  var total: Int { launches.reduce(0, +) }

  /// Each day with its launches.
  var days: [(day: Day, launches: Int)] {
    launches.enumerated().map { (first.advanced(by: $0), $1) }
  }

  /// The first of the days that had the most.
  var busiest: (day: Day, launches: Int) {
    let most = launches.max() ?? 0
    return (first.advanced(by: launches.firstIndex(of: most) ?? 0), most)
  }
}
