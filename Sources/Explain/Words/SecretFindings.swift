internal import Domain
internal import Encoding

/// Findings about secrets in the pasted text.
extension Finding {
  /// An API key; what its owner has to do depends on whether the key still works.
  static func leakedAPIKey(_ id: KeyID?, key: APIKey?, at now: Timestamp) -> Finding {
    let name = id?.description ?? "llk_…"
    let isDead = key.map { !$0.works(at: now) } ?? false
    if isDead {
      return Finding(
        .warning, .leakedAPIKey,
        Wording(
          korean: "붙여 넣은 내용에 API 키(\(name))가 들어 있습니다. 이미 폐기되었거나 만료된 키라서 더 이상 쓸 수 없습니다.",
          english: "The text holds the API key \(name). It is revoked or expired and opens nothing."
        ),
        advice: Wording(
          korean: "API 키는 메신저나 메일로 보내지 말아 주세요.",
          english: "Do not send API keys by chat or mail."))
    }
    let isUnknown = id != nil && key == nil
    return Finding(
      .problem, .leakedAPIKey,
      Wording(
        korean: "API 키가 노출되었습니다: \(name). "
          + (isUnknown
            ? "이 서버에 등록된 키는 아니므로 다른 환경의 키일 수 있습니다."
            : "이 키를 본 사람은 누구나 실행(launch)을 발급할 수 있습니다."),
        english: "An API key has leaked: \(name). "
          + (isUnknown
            ? "It is not one of this server's; it may belong to another installation."
            : "Whoever has seen it can use it.")),
      advice: Wording(
        korean:
          "이 API 키를 바로 교체하고 기존 키를 폐기해 주세요(launchlink key rotate, key revoke). API 키는 서버에만 두고 앱이나 메일에 넣지 말아 주세요.",
        english:
          "Rotate this API key and revoke the old one now (launchlink key rotate, key revoke). "
          + "Keep API keys on the server, never in an app or a mail."))
  }

  /// The project's real Web API Key where only a stand-in should be.
  static let leakedWebAPIKey = Finding(
    .problem, .leakedWebAPIKey,
    Wording(
      korean: "이 프로젝트의 실제 Web API Key가 노출되었습니다. 게이트웨이 방식에서는 이 키가 서버 밖으로 나가면 안 됩니다.",
      english:
        "The project's real Web API Key is in the text. With key delivery by gateway it must "
        + "never leave the server."),
    advice: Wording(
      korean: "Web API Key를 새로 발급받아 교체하고, 앱 코드에 키가 들어 있지 않은지 확인해 주세요.",
      english: "Have the Web API Key revoked and replaced, and make sure that no app holds it."))

  /// The real Web API Key of a project other than the launch's, or where no headers name one.
  static func leakedWebAPIKey(of project: Project) -> Finding {
    Finding(
      .problem, .leakedWebAPIKey,
      Wording(
        korean:
          "프로젝트 \(project.name)(\(project.id))의 실제 Web API Key가 노출되었습니다. 이 키는 여기에 있어서는 안 됩니다.",
        english:
          "The real Web API Key of the project \(project.name) (\(project.id)) is in the text, "
          + "where it does not belong."),
      advice: Wording(
        korean: "노출된 Web API Key를 폐기하고 새로 발급받아 교체해 주세요. 키는 URL이나 앱, 메일에 넣지 말아 주세요.",
        english:
          "Have the leaked Web API Key revoked and replaced. Never put the key into a URL, an app "
          + "or a mail."))
  }

  /// The project's real Web API Key, which the launch has to carry with direct delivery.
  static let carriedWebAPIKey = Finding(
    .warning, .leakedWebAPIKey,
    Wording(
      korean:
        "붙여 넣은 내용에 실제 Web API Key가 들어 있습니다. 이 프로젝트는 키를 직접 전달하는(direct) 방식이라 정상이지만, 이 내용을 다른 곳에 전달하면 키가 노출됩니다.",
      english:
        "The text holds the real Web API Key. The project delivers it directly, so it belongs "
        + "there, but whoever gets this text gets the key."),
    advice: Wording(
      korean: "문의하실 때 x-moment-web-api-key 값은 가려 주세요. 이미 여러 곳에 공유되었다면 키를 교체해 주세요.",
      english:
        "Blank out x-moment-web-api-key when asking for help. Where the text was passed around, "
        + "have the key replaced."))

  /// A value that may be a Web API Key, but not the project's present one.
  static let foreignWebAPIKey = Finding(
    .warning, .leakedWebAPIKey,
    Wording(
      korean:
        "x-moment-web-api-key 값이 Web API Key로 보이지만, 이 프로젝트의 현재 키와 다릅니다. 예전 키이거나 다른 프로젝트의 키일 수 있습니다.",
      english:
        "x-moment-web-api-key holds what looks like a Web API Key, but not the project's present "
        + "one. It may be an old one or another project's."),
    advice: Wording(
      korean:
        "앱에 넣어 둔 키를 쓰지 말고 POST /launch가 돌려준 x-moment-web-api-key 값을 그대로 사용해 주세요. 노출된 키는 폐기하고 교체해 주세요.",
      english:
        "Use the x-moment-web-api-key of the launch, not a key kept in the app. Have a key that "
        + "leaked revoked and replaced."))
}
