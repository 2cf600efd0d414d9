internal import Domain
internal import Encoding

/// Findings about an answer in the place of a launch.
extension Finding {
  static func answeredCode(_ code: PastedAnswer.Code, severity: Severity) -> Finding {
    let (name, meaning, remedy) =
      switch code {
      case .problem(let code): (code.rawValue, code.meaning, code.remedy)
      case .refusal(let code): (code.rawValue, code.meaning, code.remedy)
      }
    return Finding(
      severity, .answeredCode,
      Wording(
        korean: "응답의 코드는 \(name)입니다: \(meaning[.korean])",
        english: "The code that was answered is \(name): \(meaning[.english])"),
      advice: remedy)
  }

  /// The meaning of a status alone; nil for one that is neither a refusal nor an error.
  static func answeredStatus(_ status: Int, severity: Severity = .problem) -> Finding? {
    let meaning: (korean: String, english: String)
    switch status {
    case 400: meaning = ("요청의 형식이 잘못되었습니다", "the request is malformed")
    case 401:
      meaning = (
        "LaunchLink에서라면 API 키가 없거나 틀렸고, 캐시백 웹 앞의 게이트웨이에서라면 실행이 거부되었습니다",
        "from LaunchLink the API key is absent or wrong; from the gateway before the cashback web the "
          + "launch was refused"
      )
    case 403: meaning = ("이 키나 프로젝트로는 할 수 없는 요청입니다", "the key or its project may not do this")
    case 404: meaning = ("그 경로에는 아무것도 없습니다", "there is nothing at that path")
    case 405: meaning = ("그 경로에서 쓸 수 없는 메서드입니다", "the path does not take that method")
    case 413: meaning = ("본문이 너무 큽니다", "the body is too large")
    case 415: meaning = ("본문이 JSON으로 표시되지 않았습니다", "the body is not declared as JSON")
    case 422: meaning = ("본문의 필드가 잘못되었습니다", "a field of the body is wrong")
    case 429:
      meaning = (
        "요청이 너무 빠릅니다. Retry-After만큼 기다려야 합니다",
        "requests come too fast; Retry-After says how long to wait"
      )
    case 431: meaning = ("요청의 헤더가 너무 큽니다", "the request's headers are too large")
    case 500: meaning = ("서버의 문제입니다", "the server has a fault")
    case 502, 503, 504:
      meaning = ("서버가 지금 응답할 수 없습니다", "the server cannot answer now")
    default: return nil
    }
    return Finding(
      severity, .answeredStatus,
      Wording(
        korean: "응답의 상태는 \(status)입니다: \(meaning.korean).",
        english: "The answer's status is \(status): \(meaning.english)."),
      advice: Wording(
        korean:
          "이유는 응답 본문의 code와 detail, 게이트웨이의 응답이라면 x-launch-code 헤더에 있습니다. 그것과 요청 ID(x-request-id)를 함께 보내 주세요.",
        english:
          "The reason is in code and detail of the answer's body, from a gateway in its header "
          + "x-launch-code. Send that with the request id (x-request-id)."))
  }

  /// A request ID; `id` is nil where it is not LaunchLink's own and may not be shown.
  static func requestID(_ id: String?) -> Finding {
    let shown = id.map { " \($0)" } ?? ""
    return Finding(
      .warning, .requestID,
      Wording(
        korean: "요청 ID\(shown)가 들어 있습니다. 이것만으로는 무엇이 잘못되었는지 알 수 없습니다.",
        english: "There is the request id\(shown). By itself it does not say what went wrong."),
      advice: Wording(
        korean:
          "운영자가 액세스 로그에서 이 요청 ID(request_id)를 찾으면 경로, 상태, 키를 알 수 있습니다. 파트너는 응답 본문의 code도 함께 보내 주세요.",
        english:
          "An operator finds route, status and key of the request by this id in the access log. The "
          + "partner may send the code of the answer's body as well."))
  }

  static func launchID(issuedAt time: Timestamp) -> Finding {
    let moment = Wording.moment(time)
    return Finding(
      .warning, .launchID,
      Wording(
        korean: "실행 ID가 들어 있습니다. 이 실행은 \(moment[.korean])에 발급되었습니다. 더는 알 수 없습니다.",
        english:
          "There is the id of a launch, which was issued at \(moment[.english]). It tells no more."),
      advice: Wording(
        korean: "웹뷰가 연 URL과 헤더, 또는 응답의 code를 보내 주세요.",
        english: "Send the URL and headers that the web view loaded, or the code that was answered."
      ))
  }
}
