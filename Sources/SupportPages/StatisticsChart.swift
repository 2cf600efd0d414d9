internal import Domain
internal import Encoding
internal import Explain

/// Launches a day as columns, drawn as SVG.
///
/// Only the columns are drawn: they stretch to the available width, and the text around them keeps its size.
/// Positions are attributes, since the pages' policy allows no inline style.
struct StatisticsChart {
  /// Lengths in the drawing's units: a day's width, its column's width, the height of the chart.
  private static let (slot, column, height) = (20, 14, 1000)
  /// Lines across the chart above the base line.
  private static let lines = 4
  /// Days from one date under the chart to the next.
  private static let daysBetweenDates = 7

  private let days: DailyLaunches
  /// Launches from one line to the next.
  private let step: Int

  init(_ days: DailyLaunches) {
    self.days = days
    step = Self.step(for: days.busiest.launches)
  }

  /// The smallest of 1, 2, 5, 10, 20, 50 … whose lines reach the largest value.
  static func step(for largest: Int) -> Int {
    var power = 1
    while true {
      for factor in [1, 2, 5] where factor * power * lines >= largest { return factor * power }
      power *= 10
    }
  }

  /// The chart, and its numbers as a table.
  func figure(in language: Language) -> HTML {
    let scale = (0...Self.lines).reversed().map { line -> HTML in
      "<span>\(SupportText.number(line * step))</span>"
    }
    let dates = days.days.enumerated().compactMap { index, entry -> HTML? in
      guard (days.launches.count - 1 - index).isMultiple(of: Self.daysBetweenDates) else {
        return nil
      }
      return "<time datetime=\"\(entry.day.description)\">\(date(entry.day, language))</time>"
    }
    return """
      <section class="chart" aria-labelledby="days">
      <h2 id="days">\(SupportText.byDay[language])</h2>
      <div class="plot">
      <div class="scale" aria-hidden="true">\(scale)</div>
      \(drawing(in: language))
      <div class="dates" aria-hidden="true">\(dates)</div>
      </div>
      <details><summary>\(SupportText.asTable[language])</summary>
      \(table(in: language))
      </details>
      </section>
      """
  }

  /// A bar for a part of a whole, with its percentage.
  static func share(of part: Int, in total: Int) -> HTML {
    let perMille = total > 0 ? (part * 1000 + total / 2) / total : 0
    return """
      <svg class="meter" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="rail" width="1000" height="10"/><rect class="part" width="\(max(perMille, 8))" height="10"/></svg><span class="percent">\(perMille / 10).\(perMille % 10)%</span>
      """
  }

  // MARK: Parts

  private func drawing(in language: Language) -> HTML {
    let width = days.launches.count * Self.slot
    let lines = (0...Self.lines).map { line -> HTML in
      let y = line * Self.height / Self.lines
      return "<line class=\"grid\" x1=\"0\" x2=\"\(width)\" y1=\"\(y)\" y2=\"\(y)\"/>"
    }
    let columns = days.days.enumerated().map { index, entry -> HTML in
      column(entry, at: index * Self.slot, language)
    }
    return """
      <svg class="columns" viewBox="0 0 \(width) \(Self.height)" preserveAspectRatio="none" role="img" aria-labelledby="chart-title chart-description" focusable="false">
      <title id="chart-title">\(SupportText.byDay[language])</title>
      <desc id="chart-description">\(SupportText.chartDescription(days)[language])</desc>
      \(lines)
      \(columns)
      </svg>
      """
  }

  private func column(
    _ entry: (day: Day, launches: Int), at x: Int, _ language: Language
  ) -> HTML {
    let full = step * Self.lines
    // A count above zero is always visible.
    let height = entry.launches == 0 ? 0 : max(6, entry.launches * Self.height / full)
    let look: HTML = entry.day == days.today ? "column today" : "column"
    return """
      <g class="day"><title>\(entry.day.description): \(SupportText.number(entry.launches))</title><rect class="reach" x="\(x)" y="0" width="\(Self.slot)" height="\(Self.height)"/><rect class="\(look)" x="\(x + (Self.slot - Self.column) / 2)" y="\(Self.height - height)" width="\(Self.column)" height="\(height)"/></g>
      """
  }

  private func table(in language: Language) -> HTML {
    let rows = days.days.reversed().map { day, launches -> HTML in
      """
      <tr role="row"><td role="cell" data-label="\(SupportText.day[language])"><span>\(day.description)</span></td><td role="cell" class="number" data-label="\(SupportText.launches[language])"><span>\(SupportText.number(launches))</span></td></tr>
      """
    }
    return """
      <table role="table" class="counts">
      <thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">\(SupportText.day[language])</th><th role="columnheader" scope="col" class="number">\(SupportText.launches[language])</th></tr></thead>
      <tbody role="rowgroup">
      \(rows)
      </tbody>
      </table>
      """
  }

  /// Month and day, as short as people write them.
  private func date(_ day: Day, _ language: Language) -> String {
    SupportText.monthAndDay(day)[language]
  }
}
