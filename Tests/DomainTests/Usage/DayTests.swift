import Domain
import Testing

@Suite struct DayTests {
  @Test(
    "a day begins at midnight in UTC and is written as a date",
    arguments: [
      ("2026-11-29T00:00:00Z", "2026-11-29"), ("2026-11-29T23:59:59.999Z", "2026-11-29"),
      ("2026-11-30T08:59:59+09:00", "2026-11-29"), ("2026-11-30T09:00:00+09:00", "2026-11-30"),
      ("1970-01-01T00:00:00Z", "1970-01-01"), ("2028-02-29T12:00:00Z", "2028-02-29"),
    ])
  func date(text: String, date: String) throws {
    let day = Day(try #require(Timestamp(rfc3339: text)))
    #expect(day.description == date)
    #expect(Day(day.start) == day)
    #expect(Day(Timestamp(milliseconds: day.start.milliseconds - 1)) == day.advanced(by: -1))
  }

  @Test("the last days are counted back from one, over the end of a month")
  func period() throws {
    let last = Day(try #require(Timestamp(rfc3339: "2026-03-01T12:00:00Z")))
    let days = last.advanced(by: -2)...last
    #expect(days.map(\.description) == ["2026-02-27", "2026-02-28", "2026-03-01"])
  }
}
