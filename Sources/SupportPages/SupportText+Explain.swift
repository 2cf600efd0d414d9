internal import API
internal import Domain
internal import Encoding
internal import Explain

/// Texts of the page that explains a launch, and of problems.
extension SupportText {
  static let explainTitle = Wording(korean: "실행 분석", english: "Explain a launch")
  static let explainLead = Wording(
    korean:
      "파트너가 보낸 실행 URL, 헤더(JSON, 한 줄에 하나씩 또는 프로그램이 출력한 그대로), curl·PowerShell 명령 전체, 오류 응답이나 오류 코드를 붙여 넣으세요. "
      + "저장하거나 기록하지 않습니다.",
    english:
      "Paste what the partner sent: a launch URL, headers as JSON, as lines or as a program printed them, a whole command of curl or PowerShell, or the error that was answered. It is neither kept nor logged."
  )
  static let pasted = Wording(
    korean: "실행 URL, 헤더, curl 명령 또는 오류", english: "Launch URL, headers, curl or error")
  static let explainAction = Wording(korean: "분석하기", english: "Explain")
  static let explainEmpty = Wording(
    korean: "분석할 내용을 붙여 넣어 주세요.", english: "Paste something to explain.")
  static let findings = Wording(korean: "확인한 내용", english: "Findings")
  static let tellPartner = Wording(korean: "파트너에게 전할 내용", english: "Tell the partner")
  static let whatItIs = Wording(korean: "읽어 낸 내용", english: "What it is")
  static let problem = Wording(korean: "문제", english: "Problem")
  static let warning = Wording(korean: "주의", english: "Warning")
  static let good = Wording(korean: "정상", english: "Right")
  static let url = Wording(korean: "URL", english: "URL")
  static let rawRedirect = Wording(korean: "redirect_to", english: "redirect_to")
  static let page = Wording(korean: "페이지", english: "Page")
  static let project = Wording(korean: "프로젝트", english: "Project")
  static let platform = Wording(korean: "플랫폼", english: "Platform")
  static let user = Wording(korean: "사용자", english: "User")
  static let launchID = Wording(korean: "실행 ID", english: "Launch ID")
  static let signingKey = Wording(korean: "서명 키", english: "Signing key")
  static let issued = Wording(korean: "발급 (한국 시간)", english: "Issued (Korean time)")
  static let expires = Wording(korean: "만료 (한국 시간)", english: "Expires (Korean time)")

  // MARK: Problems

  static let backToSearch = Wording(korean: "검색으로 이동", english: "Go to search")
  static let requestID = Wording(korean: "요청 ID", english: "Request ID")

  static let notFound = Notice(
    title: Wording(korean: "페이지가 없습니다", english: "There is no such page"),
    detail: Wording(
      korean: "주소를 확인하거나 검색에서 시작해 주세요.",
      english: "Check the address, or start from the search."))
  static let wrongMethod = Notice(
    title: Wording(korean: "이 방식으로는 열 수 없습니다", english: "This page does not open that way"),
    detail: Wording(
      korean: "주소를 직접 입력하지 말고 화면의 버튼을 사용해 주세요.",
      english: "Use the buttons of the pages rather than the address."))
  static let badRequest = Notice(
    title: Wording(korean: "요청을 이해하지 못했습니다", english: "The request was not understood"),
    detail: Wording(
      korean: "주소가 잘렸거나 바뀌었습니다. 검색에서 다시 시작해 주세요.",
      english: "Its address was cut short or changed. Start again from the search."))
  static let noForm = Notice(
    title: Wording(korean: "요청을 이해하지 못했습니다", english: "The request was not understood"),
    detail: Wording(
      korean: "이 주소는 화면의 양식만 받습니다.", english: "This address takes the form of its page only."))
  static let tooLarge = Notice(
    title: Wording(korean: "내용이 너무 깁니다", english: "That is too long"),
    detail: Wording(
      korean: "실행 하나의 URL과 헤더만 붙여 넣어 주세요.",
      english: "Paste the URL and the headers of one launch only."))
  static let unavailable = Notice(
    title: Wording(korean: "지금은 응답할 수 없습니다", english: "Not available right now"),
    detail: Wording(
      korean: "잠시 후 다시 시도해 주세요. 계속되면 관리자에게 요청 ID를 알려 주세요.",
      english: "Try again in a moment. If it stays, tell an administrator the request ID."))
  static let internalFault = Notice(
    title: Wording(korean: "문제가 생겼습니다", english: "Something went wrong"),
    detail: Wording(
      korean: "다시 시도해 주세요. 계속되면 관리자에게 요청 ID를 알려 주세요.",
      english: "Try again. If it stays, tell an administrator the request ID."))
  static let noPublicURL = Notice(
    title: Wording(korean: "지원 페이지 설정이 필요합니다", english: "The support pages are not set up"),
    detail: Wording(
      korean: "관리자가 설정의 public_url에 이 페이지의 주소를 https로 적어야 로그인할 수 있습니다.",
      english:
        "An administrator has to set public_url to the https address of these pages before anyone can sign in."
    ))

  static func foreignOrigin(_ expected: String) -> Notice {
    Notice(
      title: Wording(korean: "이 주소에서는 보낼 수 없습니다", english: "Not sent from this site"),
      detail: Wording(
        korean:
          "다른 사이트에서 보낸 요청이거나 다른 주소로 접속했습니다. \(expected)/support 로 접속해 주세요. 그 주소가 틀리면 관리자가 public_url 설정을 확인해야 합니다.",
        english:
          "The form came from another site, or you are at another address. Open \(expected)/support. If that address is wrong, an administrator has to check the setting public_url."
      ))
  }
}
