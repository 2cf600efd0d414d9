internal import Domain
internal import Encoding
internal import Explain

/// Every text of the support pages, in every language.
enum SupportText {
  /// What is wrong, and what to do.
  struct Notice {
    let title: Wording
    let detail: Wording
  }

  // MARK: Frame

  static let product = Wording(korean: "LaunchLink 지원", english: "LaunchLink Support")
  static let skip = Wording(korean: "본문으로 건너뛰기", english: "Skip to content")
  static let navigation = Wording(korean: "주 메뉴", english: "Main")
  static let search = Wording(korean: "검색", english: "Search")
  static let explain = Wording(korean: "실행 분석", english: "Explain")
  static let signOut = Wording(korean: "로그아웃", english: "Sign out")
  static let signedInWith = Wording(korean: "로그인한 키", english: "Signed in with")
  static let copy = Wording(korean: "복사", english: "Copy")
  static let copied = Wording(korean: "복사됨", english: "Copied")
  static let copyFailed = Wording(
    korean: "복사하지 못했습니다. 직접 선택해 복사해 주세요.", english: "Could not copy. Select the text instead.")

  static func copyLabel(_ what: String) -> Wording {
    Wording(korean: "\(what) 복사", english: "Copy \(what)")
  }

  // MARK: Sign-in

  static let signIn = Wording(korean: "로그인", english: "Sign in")
  static let signInLead = Wording(
    korean: "비즈니스 ID를 찾고, 파트너의 실행이 왜 실패하는지 확인합니다.",
    english: "Find business IDs, and see why a partner’s launch fails.")
  static let apiKey = Wording(korean: "지원용 API 키", english: "Support API key")
  static let apiKeyHint = Wording(
    korean: "llk_로 시작하는 66자입니다. 키가 없으면 관리자에게 support 권한의 키를 요청해 주세요.",
    english:
      "66 characters that begin with llk_. Without one, ask an administrator for a key with the scope support."
  )
  static func signInDone(for seconds: Int) -> Wording {
    let length = Wording.duration(seconds: Int64(seconds))
    return Wording(
      korean: "로그인은 \(length[.korean]) 동안 유지됩니다.",
      english: "You stay signed in for \(length[.english]).")
  }

  static func sessionEnded(after seconds: Int) -> Wording {
    let length = Wording.duration(seconds: Int64(seconds))
    return Wording(
      korean: "세션이 끝났습니다. 로그인 유지 시간(\(length[.korean]))이 지났거나 키가 더 이상 유효하지 않습니다. "
        + "다시 로그인해 주세요.",
      english:
        "Your session has ended: it lasts \(length[.english]), or its key works no more. Sign in again."
    )
  }
  static let signedOut = Wording(korean: "로그아웃했습니다.", english: "You are signed out.")

  static let missingKey = Wording(korean: "API 키를 입력해 주세요.", english: "Enter an API key.")
  static let mistypedKey = Wording(
    korean: "API 키의 형식이 맞지 않습니다. 잘못 입력했거나 일부가 빠졌습니다. 66자 전체를 붙여 넣어 주세요.",
    english: "This is no API key: it was mistyped or cut short. Paste all of its 66 characters.")
  static let unknownKey = Wording(
    korean: "등록되지 않은 API 키입니다. 키를 확인하거나 관리자에게 새 키를 요청해 주세요.",
    english: "This API key is not known here. Check it, or ask an administrator for a new one.")
  static let revokedKey = Wording(
    korean: "취소된 API 키입니다. 관리자에게 새 키를 요청해 주세요.",
    english: "This API key was revoked. Ask an administrator for a new one.")
  static let expiredKey = Wording(
    korean: "만료된 API 키입니다. 관리자에게 새 키를 요청해 주세요.",
    english: "This API key has expired. Ask an administrator for a new one.")
  static let wrongScope = Wording(
    korean: "이 API 키에는 support 권한이 없습니다. 관리자에게 support 권한의 키를 요청해 주세요.",
    english: "This API key lacks the scope support. Ask an administrator for a key that has it.")

  // MARK: Search

  static let findBusiness = Wording(korean: "비즈니스 찾기", english: "Find a business")
  static let query = Wording(korean: "ID, 이름 또는 초성", english: "ID, name or initial consonants")
  static let queryExample = Wording(korean: "예: 11st, 쿠팡, ㅋㅍ", english: "Like 11st, 쿠팡, ㅋㅍ")
  static let category = Wording(korean: "카테고리", english: "Category")
  static let allCategories = Wording(korean: "모든 카테고리", english: "All categories")
  static let state = Wording(korean: "상태", english: "Status")
  static let anyState = Wording(korean: "모든 상태", english: "Any status")
  static let active = Wording(korean: "사용 중", english: "Active")
  static let inactive = Wording(korean: "중지됨", english: "Inactive")
  static let results = Wording(korean: "검색 결과", english: "Results")
  static let businessID = Wording(korean: "비즈니스 ID", english: "Business ID")
  static let name = Wording(korean: "이름", english: "Name")
  static let launchURL = Wording(korean: "실행 URL", english: "Launch URL")
  static let next = Wording(korean: "다음", english: "Next")
  static let toStart = Wording(korean: "처음으로", english: "Back to the first page")
  static let pages = Wording(korean: "페이지 이동", english: "Pages")
  static let nothingFound = Wording(korean: "찾지 못했습니다", english: "Nothing found")

  static func nothingMatches(_ text: String) -> Wording {
    Wording(
      korean: "“\(text)”에 맞는 비즈니스가 없습니다", english: "No business matches “\(text)”")
  }

  static let searchHints: [Wording] = [
    Wording(
      korean: "이름의 일부나 다른 이름으로 찾아보세요. 한글과 영어 모두 됩니다.",
      english: "Try part of the name, or another name, in Korean or English."),
    Wording(korean: "초성만 입력해도 됩니다: ㅋㅍ → 쿠팡", english: "Initial consonants do: ㅋㅍ finds 쿠팡."),
    Wording(
      korean: "한/영 전환을 잊고 입력해도 됩니다: znvkd → 쿠팡",
      english: "So does the wrong keyboard layout: znvkd finds 쿠팡."),
    Wording(
      korean: "쇼핑몰 주소나 실행 URL을 붙여 넣어도 됩니다.",
      english: "The address of the shop or a launch URL can be pasted too."),
  ]
  static let clearFilters = Wording(
    korean: "필터 없이 다시 찾기", english: "Search again without filters")
  static let emptyCatalog = Wording(korean: "카탈로그가 비어 있습니다", english: "The catalogue is empty")
  static let emptyCatalogHint = Wording(
    korean: "관리자가 비즈니스를 등록하면 여기에서 찾을 수 있습니다.",
    english: "Businesses appear here once an administrator has imported them.")
  static let searchFailed = Wording(
    korean: "서버에 연결하지 못했습니다. 검색 버튼을 눌러 다시 시도해 주세요.",
    english: "The server could not be reached. Press Search to try again.")

  static func count(_ total: Int) -> Wording {
    let digits = grouped(String(total))
    return Wording(
      korean: "\(digits)개", english: total == 1 ? "1 business" : "\(digits) businesses")
  }

  /// The heading of guesses.
  static func guesses(_ total: Int) -> Wording {
    let count = count(total)
    return Wording(
      korean: "정확히 맞는 비즈니스가 없습니다. 비슷한 이름: \(count[.korean])",
      english: "No business matches. Spelt nearly so: \(count[.english])")
  }

  /// Why a business was found, if its name does not show it.
  static func name(of match: BusinessMatch) -> Wording? {
    switch match {
    case .id, .name, .prefix, .part: nil
    case .alias:
      Wording(korean: "다른 이름이나 주소로 찾음", english: "by another name or its address")
    case .initials: Wording(korean: "초성으로 찾음", english: "by initial consonants")
    case .keyboard: Wording(korean: "한/영 전환으로 찾음", english: "by the other keyboard layout")
    case .near: Wording(korean: "비슷한 이름(추측)", english: "a guess: spelt nearly so")
    }
  }

  // MARK: Details

  static let overview = Wording(korean: "개요", english: "Overview")
  static let aliases = Wording(korean: "다른 이름", english: "Other names")
  static let programName = Wording(korean: "프로그램 이름", english: "Program name")
  static let website = Wording(korean: "웹사이트", english: "Website")
  static let image = Wording(korean: "이미지", english: "Image")
  static let updated = Wording(korean: "수정 (한국 시간)", english: "Last changed (Korean time)")
  static let allowedCases = Wording(korean: "적립 조건", english: "When cashback is paid")
  static let caution = Wording(korean: "유의 사항", english: "Please note")
  static let products = Wording(korean: "상품과 커미션", english: "Products and commissions")
  static let mainProduct = Wording(korean: "대표", english: "Main")
  static let target = Wording(korean: "대상", english: "For")
  static let commission = Wording(korean: "커미션", english: "Commission")
  static let commissionType = Wording(korean: "유형", english: "Type")
  static let period = Wording(korean: "기간 (한국 시간)", english: "Period (Korean time)")
  static let launchURLs = Wording(korean: "실행 URL", english: "Launch URLs")
  static let launchURLsHint = Wording(
    korean: "이 URL만으로는 열리지 않습니다. 파트너의 서버가 POST /launch로 받은 헤더가 함께 있어야 합니다.",
    english:
      "A URL alone opens nothing: it needs the headers that the partner’s server gets from POST /launch."
  )
  static let inactiveNote = Wording(
    korean: "중지된 비즈니스입니다. 다시 켜기 전에는 POST /launch가 거절합니다(inactive_business).",
    english:
      "This business is switched off: POST /launch refuses it (inactive_business) until it is on again."
  )
  static let anyTime = Wording(korean: "제한 없음", english: "No limit")
  static let noValue = Wording(korean: "없음", english: "None")
  static let rawPath = Wording(korean: "redirect_to (인코딩 전)", english: "redirect_to (not encoded)")
  static let noBusiness = Notice(
    title: Wording(korean: "비즈니스가 없습니다", english: "There is no such business"),
    detail: Wording(
      korean: "카탈로그에 없는 ID입니다. 이름으로 찾아보세요.",
      english: "The catalogue has no business of this ID. Look for its name instead."))

  static func from(_ day: String) -> Wording {
    Wording(korean: "\(day)부터", english: "from \(day)")
  }

  static func until(_ day: String) -> Wording {
    Wording(korean: "\(day)까지", english: "until \(day)")
  }

  /// What a commission is paid for.
  static func name(of type: CommissionType) -> Wording {
    switch type {
    case .perSale: Wording(korean: "판매당", english: "per sale")
    case .perAction: Wording(korean: "행동당", english: "per action")
    case .perClick: Wording(korean: "클릭당", english: "per click")
    case .perMille: Wording(korean: "노출 1,000회당", english: "per 1,000 views")
    }
  }

  static func amount(_ commission: Commission) -> Wording {
    switch commission.unit {
    case .percentage:
      Wording(korean: commission.amount + "%", english: commission.amount + "%")
    case .won:
      Wording(korean: grouped(commission.amount) + "원", english: "₩" + grouped(commission.amount))
    }
  }

  /// A decimal number with a comma before every third digit of its whole part.
  static func grouped(_ number: String) -> String {
    let parts = number.split(separator: ".", maxSplits: 1)
    let whole = Array(parts.first ?? "")
    let groups = whole.enumerated().map { index, digit in
      (index > 0 && (whole.count - index).isMultiple(of: 3) ? "," : "") + String(digit)
    }
    return groups.joined() + (parts.count == 2 ? "." + parts[1] : "")
  }
}
