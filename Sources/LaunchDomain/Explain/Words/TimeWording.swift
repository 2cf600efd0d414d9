extension Wording {
  /// A length of time in its two largest units, such as `3 hours 12 minutes`.
  static func duration(seconds: Int64) -> Wording {
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

  /// A moment with the name of its clock: Korea's for Korean, UTC for English.
  public static func moment(_ time: Timestamp) -> Wording {
    let clock: (Timestamp) -> String = {
      String($0.description.prefix(19)).replacing("T", with: " ")
    }
    return Wording(
      korean: "한국 시간 \(clock(time.adding(seconds: 9 * 3600)))", english: "\(clock(time)) UTC")
  }
}
