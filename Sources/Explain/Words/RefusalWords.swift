public import Domain
public import Encoding

/// The meaning of each refusal code and what to do about it, for people.
extension RefusalCode {
  /// The meaning in one sentence.
  public var meaning: Wording { explanation.meaning }

  /// What to do about it, addressed to the partner.
  public var remedy: Wording { explanation.remedy }

  private static let fetchAnew = Wording(
    korean: "앱에서 POST /launch로 새 실행을 받아 한 번만 다시 시도해 주세요. 계속되면 웹뷰가 연 URL과 헤더를 함께 보내 주세요.",
    english:
      "Have the app fetch a new launch by POST /launch and try it once more. If that fails too, send the "
      + "URL and the headers that the web view loaded.")

  private static let changeNothing = Wording(
    korean:
      "POST /launch가 돌려준 url과 headers를 한 글자도 바꾸지 말고 그대로 사용해 주세요. 어디가 바뀌었는지 보려면 웹뷰가 연 URL과 헤더를 보내 주세요.",
    english:
      "Use url and headers as POST /launch answered them, to the letter. To see what was changed, "
      + "send the URL and the headers that the web view loaded.")

  private var explanation: (meaning: Wording, remedy: Wording) {
    switch self {
    case .missingSignature:
      (
        Wording(
          korean: "웹뷰의 요청에 signature-input 또는 signature 헤더가 없습니다.",
          english: "The web view's request has no header signature-input or signature."),
        Wording(
          korean: "POST /launch가 돌려준 headers 여섯 개를 빠짐없이 웹뷰의 첫 요청에 넣어 주세요.",
          english: "Set all six headers that POST /launch answered on the web view's first request."
        )
      )
    case .malformedSignature:
      (
        Wording(
          korean: "서명 헤더의 문법이 올바르지 않거나, 서명된 헤더가 두 번 들어 있습니다.",
          english: "The signature's headers are broken, or a header that it covers is there twice."),
        Self.changeNothing
      )
    case .wrongTag:
      (
        Wording(
          korean: "signature-input에 tag=\"moment-launch\"인 서명이 없습니다.",
          english: "signature-input has no signature with tag=\"moment-launch\"."),
        Self.changeNothing
      )
    case .missingComponent:
      (
        Wording(
          korean: "서명이 보호해야 하는 항목이 빠졌거나, 서명된 헤더 중 하나가 요청에 없습니다.",
          english: "The signature covers less than it has to, or a header that it covers is absent."
        ),
        Self.changeNothing
      )
    case .unknownKey:
      (
        Wording(
          korean: "서명 키를 모르거나 더 이상 유효하지 않습니다. 다른 환경에서 발급되었거나 아주 오래된 실행입니다.",
          english:
            "The signing key is unknown or no longer verifies: the launch is another environment's, or old."
        ),
        Self.fetchAnew
      )
    case .signatureMismatch:
      (
        Wording(
          korean: "서명이 요청과 맞지 않습니다. 발급된 뒤에 URL이나 헤더가 바뀌었습니다.",
          english:
            "The signature does not fit: URL or headers were changed after the launch was issued."),
        Self.changeNothing
      )
    case .authorityMismatch:
      (
        Wording(
          korean: "URL의 호스트가 프로젝트의 환경과 다릅니다.",
          english: "The URL's host is not that of the project's environment."),
        Wording(
          korean: "URL의 호스트를 바꾸지 말고, 그 환경의 프로젝트로 발급받아 주세요.",
          english:
            "Leave the URL's host as it is, and have launches issued for the project of that "
            + "environment.")
      )
    case .notYetValid:
      (
        Wording(
          korean: "발급 시각이 확인하는 서버의 시계보다 30초 넘게 앞서 있습니다.",
          english:
            "It was issued over 30 seconds ahead of the clock of the server that verifies it."),
        Wording(
          korean: "서버들의 시계를 NTP로 맞춰 주세요. 파트너 쪽 문제는 아닙니다.",
          english: "Set the servers' clocks right (NTP). It is not the partner's fault.")
      )
    case .expired:
      (
        Wording(
          korean: "실행이 만료되었습니다. 실행은 발급된 뒤 몇 분 동안만 유효합니다.",
          english: "The launch has expired. A launch lives for minutes after it was issued."),
        Wording(
          korean: "실행이 필요한 바로 그때 POST /launch를 호출하고, 만료되면 새로 받아 한 번만 다시 시도해 주세요.",
          english: "Call POST /launch at the moment when the launch is needed, and where it has "
            + "expired fetch a new one and try it once more.")
      )
    case .projectDisabled:
      (
        Wording(
          korean: "실행의 프로젝트가 비활성화되어 있습니다.", english: "The launch's project is disabled."),
        ProblemCode.projectDisabled.remedy
      )
    case .revoked:
      (
        Wording(
          korean: "이 실행이 발급된 뒤에 사용자가 로그아웃되어 실행이 취소되었습니다.",
          english: "The user was logged out after the launch was issued, which revoked it."),
        Self.fetchAnew
      )
    case .replayed:
      (
        Wording(
          korean: "이 실행은 이미 사용되었고, 이 프로젝트에서는 한 번만 사용할 수 있습니다.",
          english: "The launch was used already, and in this project it may be used once."),
        Wording(
          korean: "화면을 열 때마다 POST /launch로 새 실행을 받아 주세요. 새로 고침이나 뒤로 가기가 같은 요청을 다시 보내지 않는지 확인해 주세요.",
          english:
            "Fetch a new launch by POST /launch each time, and look whether a reload or going "
            + "back sends the same request again.")
      )
    }
  }
}
