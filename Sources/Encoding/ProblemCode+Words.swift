/// The meaning of each problem code and how to correct it, for people.
extension ProblemCode {
  /// The meaning in one sentence.
  public var meaning: Wording { explanation.meaning }

  /// How to correct it, addressed to the caller.
  public var remedy: Wording { explanation.remedy }

  private var explanation: (meaning: Wording, remedy: Wording) {
    switch self {
    case .invalidJSON:
      (
        Wording(
          korean: "본문이 하나의 JSON이 아니거나, 객체의 멤버가 두 번 나오거나, 뒤에 다른 바이트가 더 있습니다.",
          english:
            "The body is not one JSON text, names a member of an object twice, or has bytes after it."
        ),
        Wording(
          korean: "detail이 알려 주는 줄과 열에서 본문을 고쳐 주세요.",
          english: "Mend the body at the line and column that the detail names.")
      )
    case .invalidRequest:
      (
        Wording(
          korean: "요청의 형식이나 쿼리 문자열을 그대로 받아들일 수 없습니다.",
          english: "The request's framing or its query string cannot be taken as it is."),
        Wording(
          korean: "올바른 HTTP/1.1 요청을 보내고, 쿼리 파라미터는 API 문서에 있는 것만 한 번씩 넣어 주세요.",
          english:
            "Send a well-formed HTTP/1.1 request with the query parameters that the API describes, each once."
        )
      )
    case .missingAPIKey:
      (
        Wording(
          korean: "요청에 API 키가 없습니다.",
          english: "The request carries no API key."),
        Wording(
          korean: "Authorization: Bearer 뒤에 API 키를 넣은 헤더를 보내 주세요.",
          english: "Send the header Authorization: Bearer followed by the API key.")
      )
    case .malformedAPIKey:
      (
        Wording(
          korean: "API 키로 보낸 값이 API 키의 형식이 아닙니다. 형식이나 체크섬이 틀립니다.",
          english: "What was sent as API key cannot be one: its form or its checksum is wrong."),
        Wording(
          korean: "잘못 입력했거나 잘렸거나 두 번 붙은 키가 아닌지 확인해 주세요. 키는 66자이며 llk_로 시작합니다.",
          english:
            "Look for a mistyped, cut short or doubled key; it has 66 characters and begins with llk_."
        )
      )
    case .invalidAPIKey:
      (
        Wording(
          korean: "API 키의 형식은 맞지만 이 서버가 모르는 키입니다.",
          english: "The API key is well formed and not known here."),
        Wording(
          korean: "이 환경의 키가 맞는지 확인하거나 관리자에게 새 키를 요청해 주세요.",
          english:
            "Check that the key belongs to this installation, or ask the administrator for a new one."
        )
      )
    case .expiredAPIKey:
      (
        Wording(
          korean: "API 키의 사용 기간이 끝났습니다.",
          english: "The API key's time is over."),
        Wording(
          korean: "교체된 새 키를 쓰거나 관리자에게 새 키를 요청해 주세요.",
          english: "Use the key that took its place, or ask the administrator for a new one.")
      )
    case .revokedAPIKey:
      (
        Wording(
          korean: "관리자가 API 키를 폐기했습니다.",
          english: "The API key was revoked by the administrator."),
        Wording(
          korean: "관리자에게 새 키를 요청하고, 이전 키가 어디에서 노출되었는지 확인해 주세요.",
          english: "Ask the administrator for a new key, and find out where the old one leaked.")
      )
    case .insufficientScope:
      (
        Wording(
          korean: "이 API 키로는 이 작업을 할 수 없습니다.",
          english: "The API key may not be used for this operation."),
        Wording(
          korean: "detail이 알려 주는 권한(scope)이 있는 키를 사용해 주세요.",
          english: "Use a key with the scope that the detail names.")
      )
    case .projectDisabled:
      (
        Wording(
          korean: "API 키의 프로젝트가 비활성화되어 있습니다.",
          english: "The API key's project is disabled."),
        Wording(
          korean: "관리자에게 프로젝트를 다시 활성화해 달라고 요청해 주세요(launchlink project enable).",
          english: "Ask the administrator to enable the project: launchlink project enable.")
      )
    case .projectMismatch:
      (
        Wording(
          korean: "x-moment-project-id 헤더가 API 키의 프로젝트와 다른 프로젝트를 가리킵니다.",
          english: "The header x-moment-project-id names another project than the API key's own."),
        Wording(
          korean: "그 프로젝트의 API 키를 사용하거나 헤더를 빼 주세요.",
          english: "Use the API key of that project, or leave the header out.")
      )
    case .notFound:
      (
        Wording(
          korean: "이 경로에는 아무것도 없습니다.",
          english: "There is nothing at this path."),
        Wording(
          korean: "API 문서(GET /openapi.yaml)의 경로와 비교해 주세요.",
          english: "Check the path against the API's description, GET /openapi.yaml.")
      )
    case .methodNotAllowed:
      (
        Wording(
          korean: "경로는 있지만 이 메서드로는 쓸 수 없습니다.",
          english: "The path exists, and not for this method."),
        Wording(
          korean: "Allow 헤더에 있는 메서드를 사용해 주세요.",
          english: "Use one of the methods that the header Allow lists.")
      )
    case .bodyTooLarge:
      (
        Wording(
          korean: "본문이 이 작업이 받는 크기보다 큽니다.",
          english: "The body is larger than the operation takes."),
        Wording(
          korean: "최대 16KiB, /launch/batch에는 최대 256KiB를 보내 주세요.",
          english: "Send at most 16 KiB, to /launch/batch at most 256 KiB.")
      )
    case .unsupportedMediaType:
      (
        Wording(
          korean: "본문이 JSON으로 표시되어 있지 않거나 압축되어 있습니다.",
          english: "The body is not declared as JSON, or is compressed."),
        Wording(
          korean: "Content-Type: application/json 헤더를 보내고 Content-Encoding은 빼 주세요.",
          english: "Send the header Content-Type: application/json and no Content-Encoding.")
      )
    case .unknownField:
      (
        Wording(
          korean: "본문에 이 작업이 모르는 멤버가 있습니다.",
          english: "The body has a member that the operation does not know."),
        Wording(
          korean: "빼거나, API 문서에 있는 이름으로 고쳐 주세요.",
          english: "Remove it, or correct its name to one that the API's description has.")
      )
    case .missingField:
      (
        Wording(
          korean: "필수 멤버가 없거나 null입니다.",
          english: "A required member is absent or null."),
        Wording(
          korean: "pointer가 가리키는 멤버를 넣어 주세요.",
          english: "Add the member that the pointer names.")
      )
    case .invalidField:
      (
        Wording(
          korean: "멤버의 값이 허용되지 않는 값입니다.",
          english: "A member has a value that it cannot have."),
        Wording(
          korean: "detail이 알려 주는 대로 값을 고쳐 주세요.",
          english: "Correct the value as the detail says.")
      )
    case .conflictingFields:
      (
        Wording(
          korean: "두 멤버의 내용이 서로 다르거나, 함께 쓸 수 없는 멤버가 있습니다.",
          english: "Two members say different things, or one has no place beside the others."),
        Wording(
          korean: "page와 그 파라미터, 또는 redirect_to 중 하나만 보내 주세요.",
          english: "Send page with its own parameters, or redirect_to, and not both.")
      )
    case .invalidRedirect:
      (
        Wording(
          korean: "redirect_to가 캐시백 웹 안의 경로가 아닙니다.",
          english: "The redirect_to is not a path of the cashback web."),
        Wording(
          korean: "페이지의 브리지가 넘겨준 그대로의 경로(예: /cashback/detail?business_id=11st)를 보내 주세요.",
          english:
            "Send the raw path as the page's bridge hands it over, such as /cashback/detail?business_id=11st."
        )
      )
    case .redirectAlreadyEncoded:
      (
        Wording(
          korean: "redirect_to가 인코딩된 슬래시로 시작합니다. 보내기 전에 이미 퍼센트 인코딩되었습니다.",
          english:
            "The redirect_to begins with an encoded slash, so it was percent-encoded before it was sent."
        ),
        Wording(
          korean:
            "/cashback/detail?business_id=11st처럼 인코딩하지 않은 경로를 보내 주세요. 인코딩은 LaunchLink가 한 번 합니다.",
          english:
            "Send the raw path, such as /cashback/detail?business_id=11st: it is encoded here, once."
        )
      )
    case .unknownPage:
      (
        Wording(
          korean: "이 서버에 없는 페이지입니다.",
          english: "The page is not one of this installation."),
        Wording(
          korean: "GET /pages에 있는 페이지를 사용해 주세요. 경로는 글자 그대로 일치해야 합니다.",
          english: "Use one that GET /pages lists; a path has to match to the letter.")
      )
    case .missingParameter:
      (
        Wording(
          korean: "페이지에 필요한 파라미터가 없거나 비어 있습니다.",
          english: "The page needs a parameter that is absent or empty."),
        Wording(
          korean: "파라미터를 넣어 주세요. GET /pages에서 페이지마다 필요한 파라미터를 볼 수 있습니다.",
          english: "Add the parameter; GET /pages says what each page needs.")
      )
    case .duplicateParameter:
      (
        Wording(
          korean: "redirect_to 안에 같은 파라미터가 두 번 있습니다. 하나는 이스케이프로 쓰였을 수 있습니다.",
          english:
            "The redirect_to names one of the page's parameters twice, perhaps once in escapes."),
        Wording(
          korean: "파라미터는 각각 한 번만 넣어 주세요.",
          english: "Name each parameter once.")
      )
    case .unknownBusiness:
      (
        Wording(
          korean: "카탈로그에 없는 비즈니스입니다.",
          english: "The business is not in the catalogue."),
        Wording(
          korean: "GET /businesses에 있는 ID를 사용해 주세요. suggestions에 비슷한 ID가 있습니다.",
          english: "Use an id that GET /businesses lists; the suggestions are near ones.")
      )
    case .inactiveBusiness:
      (
        Wording(
          korean: "비활성 상태라서 실행할 수 없는 비즈니스입니다.",
          english: "The business is switched off and cannot be launched."),
        Wording(
          korean: "앱에서 노출하지 말아 주세요. GET /businesses?active=true로 실행할 수 있는 비즈니스를 볼 수 있습니다.",
          english: "Do not offer it; GET /businesses?active=true lists those that can be launched.")
      )
    case .unknownCategory:
      (
        Wording(
          korean: "이 서버에 없는 카테고리입니다.",
          english: "The category is not one of this installation."),
        Wording(
          korean: "GET /categories에 있는 것을 사용해 주세요. page 요청에는 키나 이름, redirect_to에는 이름을 넣습니다.",
          english:
            "Use one that GET /categories lists: in page requests key or label, in redirect_to the label."
        )
      )
    case .rateLimited:
      (
        Wording(
          korean: "프로젝트의 요청이 허용된 속도보다 빠릅니다.",
          english: "The project's requests come faster than its rate limit allows."),
        Wording(
          korean: "Retry-After가 알려 주는 초만큼 기다려 주세요. 한도가 너무 낮으면 관리자에게 요청해 주세요.",
          english:
            "Wait as many seconds as Retry-After says; ask the administrator if the limit is too low."
        )
      )
    case .headersTooLarge:
      (
        Wording(
          korean: "요청의 헤더가 12KiB보다 큽니다.",
          english: "The request's head is larger than 12 KiB."),
        Wording(
          korean: "헤더를 줄여 주세요. 쿠키는 필요하지 않습니다.",
          english: "Send fewer or shorter headers; cookies are not needed.")
      )
    case .internal:
      (
        Wording(
          korean: "호출한 쪽의 잘못이 아닌 문제가 생겼습니다.",
          english: "Something went wrong that is not the caller's fault."),
        Wording(
          korean: "다시 시도하고, 계속되면 운영자에게 요청 ID를 알려 주세요.",
          english: "Try again; tell the operator the request id if it stays.")
      )
    case .unavailable:
      (
        Wording(
          korean: "서버가 지금 응답할 수 없습니다. 데이터베이스에 연결할 수 없거나, 활성화된 서명 키가 없거나, 종료 중이거나, "
            + "요청이나 요청 본문이 너무 많습니다.",
          english:
            "The server cannot answer now: its database is out of reach, no signing key is active, it is shutting down, or it has more requests or bodies of requests than it can take."
        ),
        Wording(
          korean: "Retry-After가 알려 주는 초가 지난 뒤에 다시 시도해 주세요.",
          english: "Try again after as many seconds as Retry-After says.")
      )
    }
  }
}
