internal import Domain
internal import Encoding

/// Findings about a launch URL.
extension Finding {
  private static let takeURLAsItIs = Wording(
    korean: "POST /launch가 돌려준 url을 바꾸지 말고 그대로 열어 주세요.",
    english: "Load the url that POST /launch answered, to the letter.")

  private static func encodeOnce(_ expected: String) -> Wording {
    Wording(
      korean:
        "redirect_to는 한 번만 인코딩해야 합니다. POST /launch에는 인코딩하지 않은 경로를 보내고, 돌려받은 url은 다시 인코딩하거나 디코딩하지 말고 그대로 열어 주세요. 올바른 값: \(expected)",
      english:
        "redirect_to is encoded exactly once. Send the raw path to POST /launch and load the url "
        + "that it answers without encoding or decoding it again. It should be: \(expected)")
  }

  static func wrongScheme(_ scheme: String, expected: String) -> Finding {
    Finding(
      .problem, .wrongScheme,
      Wording(
        korean: "URL이 \(scheme)://로 시작합니다. \(expected)://여야 합니다.",
        english: "The URL begins with \(scheme)://. It has to be \(expected)://."),
      advice: takeURLAsItIs)
  }

  /// A host that is not one of the cashback web.
  static func wrongHost(_ host: String, like known: String?) -> Finding {
    let korean: String
    let english: String
    if let known {
      korean = "‘\(host)’ 호스트는 캐시백 웹의 호스트가 아닙니다. \(known)처럼 보이지만 다른 곳으로 연결되며, 사칭 사이트일 수 있습니다."
      english =
        "The host \(host) is not the cashback web's. It looks like \(known) but leads elsewhere, "
        + "perhaps to an impostor."
    } else {
      korean = "‘\(host)’ 호스트는 캐시백 웹의 호스트가 아닙니다."
      english = "The host \(host) is not one of the cashback web."
    }
    return Finding(
      .problem, .wrongHost, Wording(korean: korean, english: english), advice: takeURLAsItIs)
  }

  static func wrongUpstream(
    _ host: String, named name: String, expected: String, expectedName: String
  ) -> Finding {
    Finding(
      .problem, .wrongUpstream,
      Wording(
        korean: "URL의 호스트 \(host)는 \(name) 환경인데, 이 프로젝트는 \(expectedName) 환경(\(expected))을 사용합니다.",
        english: "The host \(host) is that of \(name), but the project belongs to \(expectedName) "
          + "(\(expected))."),
      advice: Wording(
        korean: "URL의 호스트를 직접 바꾸지 말아 주세요. 다른 환경이 필요하면 해당 환경의 프로젝트로 발급받아야 합니다.",
        english:
          "Do not change the host of the URL. Another environment needs a project of its own."))
  }

  static func wrongPath(_ path: String, expected: String) -> Finding {
    Finding(
      .problem, .wrongPath,
      Wording(
        korean: "URL의 경로가 \(path)입니다. \(expected)여야 합니다.",
        english: "The URL's path is \(path). It has to be \(expected)."),
      advice: takeURLAsItIs)
  }

  static func missingRedirect(found: String) -> Finding {
    Finding(
      .problem, .missingRedirect,
      Wording(
        korean: "URL에 redirect_to가 없습니다. 대신 ‘\(found)’ 파라미터가 있는데, 이 이름은 인식되지 않아 시작 페이지가 열립니다.",
        english:
          "The URL has no redirect_to but the parameter ‘\(found)’, which is not known, so the "
          + "start page opens."),
      advice: takeURLAsItIs)
  }

  /// Parameters beside `redirect_to`: the first by name, and the number of `more`.
  static func misplacedParameters(_ names: [String], more: Int) -> Finding {
    let list = names.map { "‘\($0)’" }.joined(separator: ", ")
    let isOne = names.count + more == 1
    return Finding(
      .warning, .misplacedParameter,
      Wording(
        korean:
          "redirect_to 밖에 \(list)\(more > 0 ? " 외 \(more)개의" : "") 파라미터가 있습니다. 실행 URL에는 redirect_to만 있어야 합니다.",
        english:
          "The parameter\(isOne ? "" : "s") \(list)\(more > 0 ? " and \(more) more" : "") "
          + "stand\(isOne ? "s" : "") beside redirect_to. A launch URL has redirect_to alone."),
      advice: Wording(
        korean: "URL에 파라미터를 덧붙이지 말아 주세요. 페이지 안의 파라미터라면 redirect_to 경로에 넣어서 POST /launch를 호출해 주세요.",
        english:
          "Add nothing to the URL. A parameter of the page belongs into the redirect_to that is "
          + "sent to POST /launch."))
  }

  static let doubledRedirect = Finding(
    .problem, .doubledRedirect,
    Wording(
      korean: "redirect_to가 두 번 이상 들어 있습니다.",
      english: "The URL has redirect_to more than once."),
    advice: takeURLAsItIs)

  static func notEncoded(expected: String) -> Finding {
    Finding(
      .problem, .notEncoded,
      Wording(
        korean: "redirect_to가 인코딩되어 있지 않습니다. 경로 안의 /, ?, =, & 등도 모두 인코딩되어야 합니다.",
        english:
          "redirect_to is not percent-encoded. The /, ?, = and & of the path have to be encoded "
          + "too."),
      advice: encodeOnce(expected))
  }

  /// Encoded `times` times or, where that is nil, only partly twice.
  static func doubleEncoded(
    _ times: Int?, expected: String, severity: Finding.Severity = .problem
  ) -> Finding {
    let text =
      if let times {
        Wording(
          korean: "redirect_to가 \(times)번 인코딩되어 있습니다(%252F처럼 %25가 보입니다). 한 번만 인코딩해야 합니다.",
          english: "redirect_to is encoded \(times) times (%25, as in %252F, shows it), not once."
        )
      } else {
        Wording(
          korean: "redirect_to 안의 일부가 두 번 인코딩되어 있습니다(%25가 보입니다).",
          english: "A part of redirect_to is encoded twice (%25 shows it).")
      }
    return Finding(severity, .doubleEncoded, text, advice: encodeOnce(expected))
  }

  static func plusForSpace(expected: String) -> Finding {
    Finding(
      .problem, .plusForSpace,
      Wording(
        korean:
          "redirect_to에 +가 있습니다. 공백은 +가 아니라 %20으로, + 문자는 %2B로 인코딩해야 합니다(HTML 폼 방식 인코딩을 쓴 것으로 보입니다).",
        english:
          "redirect_to holds a +. A space is encoded as %20, not as +, and a plus sign as %2B; "
          + "this looks like the encoding of HTML forms."),
      advice: encodeOnce(expected))
  }

  static func otherEncoding(expected: String, severity: Finding.Severity) -> Finding {
    Finding(
      severity, .otherEncoding,
      Wording(
        korean:
          "redirect_to의 인코딩 표기가 발급된 것과 다릅니다(예: %2F 대신 %2f). 같은 페이지를 가리키지만, 서명은 글자 그대로 확인하므로 맞지 않게 됩니다.",
        english:
          "redirect_to is encoded in another way than it is issued, such as %2f in place of %2F. "
          + "It names the same page, but the signature holds for the letters."),
      advice: encodeOnce(expected))
  }

  static let brokenEscape = Finding(
    .problem, .otherEncoding,
    Wording(
      korean:
        "redirect_to에 잘못된 이스케이프가 있습니다. % 뒤에는 16진수 두 자리가 와야 합니다. 값이 잘렸거나 % 문자가 인코딩되지 않은 것으로 보입니다.",
      english:
        "redirect_to holds a % without two hexadecimal digits behind it: the value was cut off, or "
        + "a percent sign was not encoded as %25."),
    advice: takeURLAsItIs)

  static let notUTF8 = Finding(
    .problem, .otherEncoding,
    Wording(
      korean: "redirect_to가 UTF-8로 인코딩되어 있지 않습니다. EUC-KR(CP949)로 인코딩했거나 중간에서 잘린 것으로 보입니다.",
      english: "redirect_to is not encoded as UTF-8, but perhaps as EUC-KR, or it was cut off."),
    advice: Wording(
      korean: "한글은 UTF-8로 인코딩해야 합니다. POST /launch에 인코딩하지 않은 경로를 보내고 돌려받은 url을 그대로 열어 주세요.",
      english:
        "Text is encoded as UTF-8. Send the raw path to POST /launch and load the url that it "
        + "answers."))

  static func invalidRedirect(_ path: String) -> Finding {
    Finding(
      .problem, .invalidRedirect,
      Wording(
        korean:
          "redirect_to ‘\(path)’는 열 수 없는 값입니다. /로 시작하는 캐시백 웹 안의 경로여야 하며, 스킴(https:), 호스트, //, 역슬래시, ..(상위 경로), 제어 문자, 앞뒤 공백이 없어야 하고 2,048바이트를 넘을 수 없습니다.",
        english:
          "redirect_to ‘\(path)’ cannot be launched. It has to be a path inside the cashback web "
          + "that begins with one slash: no scheme, host, //, backslash, dot segment, control "
          + "character or space around it, and at most 2,048 bytes."),
      advice: Wording(
        korean: "전체 URL이 아니라 /cashback/detail?business_id=11st 같은 경로를 POST /launch에 보내 주세요.",
        english:
          "Send a path such as /cashback/detail?business_id=11st to POST /launch, not a whole URL."
      ))
  }

  static func unknownPage(_ path: String, near: [String]) -> Finding {
    Finding(
      .problem, .unknownPage,
      Wording(
        korean: "‘\(path)’라는 페이지는 없습니다." + meant(near).korean,
        english: "There is no page ‘\(path)’." + meant(near).english),
      advice: Wording(
        korean: "GET /pages에서 페이지 목록을 확인해 주세요. 경로는 글자 그대로 일치해야 합니다.",
        english: "See the pages at GET /pages. The path has to match to the letter."))
  }

  static func missingParameter(_ name: String, page: String) -> Finding {
    Finding(
      .problem, .missingParameter,
      Wording(
        korean: "\(page) 페이지에 필요한 \(name) 파라미터가 없습니다.",
        english: "The page \(page) needs the parameter \(name), which is missing."),
      advice: Wording(
        korean: "redirect_to에 ?\(name)=… 을 넣어 주세요. 인코딩하지 않은 &나 ? 때문에 잘렸을 수도 있습니다.",
        english: "Add ?\(name)=… to redirect_to; it may have been cut at an unencoded & or ?."))
  }

  static func duplicateParameter(_ name: String) -> Finding {
    Finding(
      .problem, .duplicateParameter,
      Wording(
        korean: "redirect_to 안에 \(name)이(가) 두 번 이상 들어 있습니다.",
        english: "redirect_to names \(name) more than once."),
      advice: Wording(korean: "\(name)은(는) 한 번만 넣어 주세요.", english: "Name \(name) once."))
  }

  static func unknownBusiness(_ id: String, near: [String]) -> Finding {
    Finding(
      .problem, .unknownBusiness,
      Wording(
        korean: "‘\(id)’라는 비즈니스 ID는 카탈로그에 없습니다." + meant(near).korean,
        english: "There is no business ‘\(id)’ in the catalogue." + meant(near).english),
      advice: Wording(
        korean: "비즈니스 ID를 확인해 주세요. ID는 모두 소문자이며 GET /businesses에서 검색할 수 있습니다.",
        english: "Check the business id. Ids are in lower case; GET /businesses finds them."))
  }

  static func inactiveBusiness(_ id: String) -> Finding {
    Finding(
      .problem, .inactiveBusiness,
      Wording(
        korean: "비즈니스 ‘\(id)’는 현재 비활성 상태라서 실행할 수 없습니다.",
        english: "The business ‘\(id)’ is switched off and cannot be launched."),
      advice: Wording(
        korean: "이 비즈니스는 지금 캐시백을 제공하지 않습니다. 앱에서 노출하지 말아 주세요.",
        english: "This business gives no cashback at present. Do not offer it in the app."))
  }

  static func unknownCategory(_ value: String, near: [String]) -> Finding {
    Finding(
      .problem, .unknownCategory,
      Wording(
        korean: "‘\(value)’라는 카테고리는 없습니다." + meant(near).korean,
        english: "There is no category ‘\(value)’." + meant(near).english),
      advice: Wording(
        korean: "GET /categories에서 카테고리 목록을 확인해 주세요. redirect_to에는 한글 이름을 넣어야 합니다.",
        english: "See GET /categories. redirect_to takes the Korean label."))
  }

  static func categoryKey(_ value: String, label: String) -> Finding {
    Finding(
      .problem, .categoryKey,
      Wording(
        korean: "카테고리에 키 ‘\(value)’가 들어 있습니다. redirect_to에는 이름 ‘\(label)’이(가) 들어가야 합니다.",
        english:
          "The category is given by its key ‘\(value)’. In redirect_to it has to be the label "
          + "‘\(label)’."),
      advice: Wording(
        korean:
          "redirect_to를 직접 만들지 말고 page=main, category=\(value)로 POST /launch를 호출하거나, 이름 ‘\(label)’을(를) 사용해 주세요.",
        english:
          "Call POST /launch with page main and category \(value), or use the label ‘\(label)’."))
  }

  static func decomposedCategory(_ label: String) -> Finding {
    Finding(
      .problem, .unknownCategory,
      Wording(
        korean: "카테고리 ‘\(label)’의 한글이 자모로 분리된 형태(NFD)입니다. 화면에는 같아 보이지만 다른 문자로 취급됩니다.",
        english:
          "The category ‘\(label)’ is written in decomposed letters (NFD). It looks the same but "
          + "is another text."),
      advice: Wording(
        korean: "한글을 NFC로 정규화해서 보내 주세요(macOS에서 복사한 문자열이 주로 문제가 됩니다).",
        english: "Normalise the text to NFC; text from macOS file names often is not."))
  }

  static func rightURL(_ page: String?, detail: String?) -> Finding {
    guard let page else {
      return Finding(
        .good, .rightURL,
        Wording(
          korean: "URL이 올바르며 시작 페이지를 엽니다.",
          english: "The URL is right and opens the start page."))
    }
    let shown = detail.map { " (\($0))" } ?? ""
    return Finding(
      .good, .rightURL,
      Wording(
        korean: "redirect_to가 올바르게 한 번 인코딩되어 있고, \(page) 페이지\(shown)를 엽니다.",
        english: "redirect_to is encoded once, as it should be, and opens the page \(page)\(shown)."
      ))
  }

  private static func meant(_ near: [String]) -> (korean: String, english: String) {
    guard !near.isEmpty else { return ("", "") }
    let list = near.joined(separator: ", ")
    return (" 혹시 \(list) 아닌가요?", " Perhaps \(list) was meant.")
  }
}
