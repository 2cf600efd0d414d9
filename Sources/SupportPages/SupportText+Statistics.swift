internal import Domain
internal import Encoding
internal import Explain

extension SupportText {
  // MARK: Statistics

  static let statistics = Wording(korean: "통계", english: "Statistics")
  static let statisticsTitle = Wording(korean: "실행 통계", english: "Launch statistics")
  static let launches = Wording(korean: "실행 수", english: "Launches")
  static let share = Wording(korean: "비율", english: "Share")
  static let day = Wording(korean: "날짜", english: "Day")
  static let byDay = Wording(korean: "일별 실행 수", english: "Launches by day")
  static let byProject = Wording(korean: "프로젝트별", english: "By project")
  static let byPage = Wording(korean: "페이지별", english: "By page")
  static let byPlatform = Wording(korean: "플랫폼별", english: "By platform")
  static let todaySoFar = Wording(korean: "오늘 지금까지", english: "Today so far")
  static let busiestDay = Wording(korean: "가장 많은 날", english: "Busiest day")
  static let asTable = Wording(korean: "표로 보기", english: "Show as a table")
  static let deletedProject = Wording(korean: "삭제됨", english: "deleted")
  static let plainLaunch = Wording(korean: "페이지 지정 없음", english: "No page named")
  static let nothingCounted = Wording(
    korean: "이 기간에는 실행이 없습니다", english: "No launches in these days")
  static let nothingCountedHint = Wording(
    korean: "파트너의 서버가 실행을 발급받으면 1초 안에 여기에 집계됩니다.",
    english: "A launch is counted here within a second of a partner’s server getting it.")
  static let whatIsCounted = Wording(
    korean: "발급된 실행만 셉니다. 일괄 요청은 항목마다 하나로 세고, 거절된 요청과 관리자가 명령으로 발급한 실행은 세지 않습니다.",
    english:
      "Counted are launches that were issued, each item of a batch by itself; not what was refused, nor what an administrator issued by the command."
  )

  static func statisticsLead(from first: Day, to last: Day) -> Wording {
    Wording(
      korean: "\(first)부터 \(last)까지, 하루는 UTC 기준입니다(한국 시간 오전 9시에 시작).",
      english: "\(first) to \(last), in days of UTC, which begin at 9 in the morning in Korea.")
  }

  static func lastDays(_ count: Int) -> Wording {
    Wording(korean: "최근 \(count)일", english: "Last \(count) days")
  }

  static func more(_ count: Int) -> Wording {
    Wording(
      korean: "\(number(count))개가 더 있습니다. 관리자는 launchlink stats로 모두 볼 수 있습니다.",
      english: "There are \(number(count)) more; an administrator sees all with launchlink stats.")
  }

  /// The chart in words, for screen readers.
  static func chartDescription(_ days: DailyLaunches) -> Wording {
    let (busiest, total) = (days.busiest, number(days.total))
    let most = number(busiest.launches)
    return Wording(
      korean: "\(days.first)부터 \(days.today)까지 모두 \(total)건. 가장 많은 날은 \(busiest.day), \(most)건입니다.",
      english:
        "\(total) launches from \(days.first) to \(days.today); the most on \(busiest.day), \(most)."
    )
  }

  static func monthAndDay(_ day: Day) -> Wording {
    let parts = day.description.split(separator: "-").compactMap { Int($0) }
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    return Wording(
      korean: "\(parts[1]). \(parts[2]).", english: "\(parts[2]) \(months[parts[1] - 1])")
  }

  /// A count with a comma before every third digit.
  static func number(_ count: Int) -> String { grouped(String(count)) }
}
