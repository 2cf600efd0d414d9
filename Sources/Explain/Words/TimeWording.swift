public import Domain
public import Encoding

extension Wording {
  /// A duration in its two largest units, such as `3 hours 12 minutes`.
  public static func duration(seconds: Int64) -> Wording {
    let total = max(0, seconds)
    let units: [(count: Int64, korean: String, english: String)] = [
      (total / 86_400, "일", "day"), (total / 3600 % 24, "시간", "hour"),
      (total / 60 % 60, "분", "minute"), (total % 60, "초", "second"),
    ]
    let first = units.firstIndex { $0.count > 0 } ?? units.count - 1
    let shown = units[first...].prefix(2).filter { $0.count > 0 || total == 0 }
    return Wording(
      korean: shown.map { "\($0.count)\($0.korean)" }.joined(separator: " "),
      english: shown.map { "\($0.count) \($0.english)\($0.count == 1 ? "" : "s")" }
        .joined(separator: " "))
  }

  /// A time in the time zone of Korea, where the staff are; every language says so.
  public static func moment(_ time: Timestamp) -> Wording {
    let clock = time.inKoreaToTheSecond
    return Wording(korean: "한국 시간 \(clock)", english: "\(clock) Korean time")
  }
}

extension Timestamp {
  private static let secondsAheadOfUTC = 9 * 3600

  /// Date and minute in Korea, which has had no summer time since 1988.
  public var inKorea: String { String(inKoreaToTheSecond.prefix(16)) }

  /// Date and second in Korea, for what lives for minutes.
  public var inKoreaToTheSecond: String {
    let text = adding(seconds: Self.secondsAheadOfUTC).description
    return String(text.prefix(19)).replacing("T", with: " ")
  }
}
