internal import Domain
internal import Encoding

/// Findings about missing and repeated parts of a pasted request.
extension Finding {
  private static let takeHeadersAsTheyAre = Wording(
    korean: "POST /launch가 돌려준 headers 여섯 개를 빠짐없이, 값도 바꾸지 말고 웹뷰 요청에 넣어 주세요.",
    english: "Set all six headers that POST /launch answered on the web view's request, unchanged.")

  static let missingURL = Finding(
    .warning, .missingURL,
    Wording(
      korean: "URL이 없어서 서명이 맞는지 확인할 수 없습니다. 헤더에 적힌 내용만 살펴보았습니다.",
      english:
        "There is no URL, so the signature cannot be checked. Only the headers were looked at."),
    advice: Wording(
      korean: "앱이 웹뷰에 실제로 연 URL도 함께 보내 주세요.",
      english: "Send the URL that the app really loaded as well."))

  static let deepLink = Finding(
    .warning, .missingURL,
    Wording(
      korean: "딥링크입니다. 웹뷰가 여는 URL이 아니므로 redirect_to만 살펴보았습니다.",
      english: "This is a deep link, not the URL that the web view loads; only its redirect_to was "
        + "looked at."))

  static let severalLaunches = Finding(
    .warning, .severalLaunches,
    Wording(
      korean: "실행이 여러 개 들어 있어서 헤더가 있는 첫 번째만 설명했습니다. 나머지는 살펴보지 않았습니다.",
      english:
        "There is more than one launch; only the first with headers is explained, the others were not "
        + "looked at."),
    advice: Wording(
      korean: "실패한 요청 하나만 URL과 헤더를 함께 보내 주세요.",
      english: "Send one failed request by itself, its URL with its headers."))

  static let cutOff = Finding(
    .warning, .cutOff,
    Wording(
      korean: "붙여 넣은 내용이 중간에서 잘렸습니다. 잘린 뒤에 무엇이 있었는지는 알 수 없습니다.",
      english: "The text was cut off in the middle. What followed is unknown."),
    advice: Wording(
      korean: "잘리지 않은 전체를 보내 주세요. 채팅이 긴 글을 자르면 파일로 보내 주세요.",
      english: "Send the whole of it, as a file where a chat program shortens long texts."))

  /// The names of a launch's parts for people.
  private static func list(of parts: [String]) -> String {
    parts.map { $0 == "url" ? "URL" : $0 }.joined(separator: ", ")
  }

  static func masked(_ parts: [String]) -> Finding {
    let list = list(of: parts)
    return Finding(
      .warning, .masked,
      Wording(
        korean: "다음 값은 일부나 전체가 가려지거나 …으로 줄여져 있어서 확인할 수 없습니다: \(list)",
        english: "Hidden or shortened, in part or as a whole, so that it cannot be checked: \(list)"
      ),
      advice: Wording(
        korean:
          "x-moment-web-api-key의 실제 키와 API 키는 가려도 됩니다. 나머지(signature-input, signature와 다른 헤더, URL)는 그대로 보내 주세요.",
        english:
          "A real Web API Key and API keys may stay hidden. Send the rest as it is: signature-input, "
          + "signature, the other headers and the URL."))
  }

  /// The text does not show where a value ends, so nothing is reported as wrong.
  static func unreadable(_ reason: Wording?) -> Finding {
    Finding(
      .warning, .unreadable,
      Wording(
        korean: "서명 헤더를 이 형식에서는 읽을 수 없었습니다."
          + (reason.map { " \($0[.korean])" } ?? ""),
        english: "The signature's headers could not be read in this form."
          + (reason.map { " As they stand here, \($0[.english])" } ?? "")),
      advice: Wording(
        korean:
          "헤더를 JSON이나 curl 명령으로, 또는 한 줄에 하나씩 ‘이름: 값’으로 보내 주세요. 앱이 정말 이대로 보낸다면 그것이 원인입니다.",
        english:
          "Send the headers as JSON, as a command of curl or as lines of `name: value`. Where the app "
          + "really sends them so, that is the fault."))
  }

  /// The signature fits the values as read, but more text follows them.
  static func unsure(_ parts: [String]) -> Finding {
    let list = list(of: parts)
    return Finding(
      .warning, .unreadable,
      Wording(
        korean: "다음 값의 뒤나 둘레에 다른 글자가 있습니다: \(list). 앱이 그 글자까지 보냈다면 서명이 맞지 않습니다.",
        english:
          "Something stands behind or around these values: \(list). Where the app sends it along, the "
          + "signature does not fit."),
      advice: Wording(
        korean: "앱이 실제로 보낸 요청을 JSON이나 curl 명령으로 보내 주세요.",
        english: "Send the request as the app sent it, as JSON or as a command of curl."))
  }

  static let moreHeaders = Finding(
    .warning, .limitReached,
    Wording(
      korean: "헤더가 너무 많아서 64개까지만 읽었습니다.",
      english: "There are more headers than are read: 64 of a bundle and 64 others."),
    advice: Wording(
      korean: "실패한 요청 하나의 헤더만 보내 주세요.", english: "Send the headers of one failed request only."))

  static let headersNotGiven = Finding(
    .warning, .headersNotGiven,
    Wording(
      korean: "헤더가 없어서 URL만 살펴보았습니다. 서명과 만료 여부는 확인하지 못했습니다.",
      english: "There are no headers, so only the URL was checked, not signature and expiry."),
    advice: Wording(
      korean: "요청에 넣은 헤더(x-moment-*, signature-input, signature)도 함께 보내 주세요.",
      english: "Send the request's headers as well: x-moment-*, signature-input and signature."))

  static func missingHeader(_ name: String, insteadOf found: String?) -> Finding {
    Finding(
      .problem, .missingHeader,
      Wording(
        korean: "\(name) 헤더가 없습니다."
          + (found.map { " 대신 \($0) 헤더가 있는데, 이름이 잘못된 것으로 보입니다." } ?? ""),
        english: "The header \(name) is missing."
          + (found.map { " There is \($0) instead, which seems to be misspelt." } ?? "")),
      advice: takeHeadersAsTheyAre)
  }

  static func emptyHeader(_ name: String) -> Finding {
    Finding(
      .problem, .missingHeader,
      Wording(korean: "\(name) 헤더의 값이 비어 있습니다.", english: "The header \(name) is empty."),
      advice: takeHeadersAsTheyAre)
  }

  static func doubledHeader(_ name: String, isSame: Bool) -> Finding {
    Finding(
      .problem, .doubledHeader,
      Wording(
        korean: "\(name) 헤더가 두 번 이상 들어 있습니다\(isSame ? "" : "(값도 서로 다릅니다)").",
        english:
          "The header \(name) is there more than once\(isSame ? "" : ", with different values")."
      ),
      advice: Wording(
        korean: "웹뷰와 프록시가 같은 헤더를 중복해서 추가하지 않는지 확인하고, 한 번만 보내 주세요.",
        english: "Send it once: look whether the web view and a proxy both add it."))
  }

  static func wrongMethod(_ method: String) -> Finding {
    Finding(
      .problem, .wrongMethod,
      Wording(
        korean: "요청 메서드가 \(method)입니다. 실행 URL은 GET으로 열어야 합니다.",
        english: "The request's method is \(method). A launch is loaded by GET."),
      advice: Wording(
        korean: "웹뷰에서 URL을 GET으로 열어 주세요. loadUrl(url, headers)처럼 본문 없이 요청합니다.",
        english: "Load the URL by GET, without a body."))
  }

  static let callToLaunchLink = Finding(
    .problem, .notALaunch,
    Wording(
      korean: "LaunchLink를 호출하는 요청(POST /launch 등)이며, 웹뷰가 여는 실행이 아닙니다. 살펴볼 것은 이 호출의 응답입니다.",
      english:
        "This is a call to LaunchLink, such as POST /launch, not the launch that the web view loads; "
        + "its answer is what to paste here."
    ),
    advice: Wording(
      korean: "이 호출의 응답(url과 headers)을 보내 주세요. Authorization 헤더의 API 키는 지우고 보내 주세요.",
      english: "Send the answer of this call, with url and headers, and leave the API key out."))

  static let noLaunch = Finding(
    .problem, .notALaunch,
    Wording(
      korean: "실행 URL이나 헤더는 들어 있지 않습니다.",
      english: "There is neither a launch URL nor a header of a launch in it."))

  static func repaired(_ repairs: Set<PasteCleaning.Repair>) -> Finding {
    var korean: [String] = []
    var english: [String] = []
    if repairs.contains(.quotationMarks) {
      korean.append("둥근 따옴표(“ ”)")
      english.append("curly quotation marks (“ ”)")
    }
    if repairs.contains(.htmlEscapes) {
      korean.append("HTML 이스케이프(&amp; 등)")
      english.append("HTML escapes such as &amp;")
    }
    if repairs.contains(.wideSpaces) {
      korean.append("전각 공백(U+3000)")
      english.append("wide spaces (U+3000)")
    }
    if repairs.contains(.backslashes) {
      korean.append("따옴표 앞의 역슬래시(\\\")")
      english.append("backslashes before quotation marks (\\\")")
    }
    return Finding(
      .warning, .repairedPaste,
      Wording(
        korean:
          "붙여 넣은 내용에 \(korean.joined(separator: ", "))가 있어서 원래 문자로 바꾸어 읽었습니다. 메신저나 메일이 바꾼 것일 수 있습니다.",
        english:
          "The text holds \(english.joined(separator: " and ")), which were read as the plain "
          + "characters. A chat or mail program may have put them there."),
      advice: Wording(
        korean: "실제 코드에도 이런 문자가 있다면 그것이 원인이므로 일반 문자로 고쳐 주세요.",
        english: "Where the code itself has them, they are the fault: use the plain characters."))
  }
}
