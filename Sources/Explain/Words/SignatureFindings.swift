internal import Domain
internal import Encoding

/// Findings about a signature and what it covers.
extension Finding {
  private static let askAgain = Wording(
    korean: "POST /launch를 다시 호출해서 새 실행을 받아 주세요. 실행은 필요할 때 바로 발급받아 한 번에 사용해야 합니다.",
    english: "Ask POST /launch for a new launch, at the moment when it is needed.")

  private static let changeNothing = Wording(
    korean:
      "POST /launch가 돌려준 url과 headers를 한 글자도 바꾸지 말고 그대로 사용해 주세요. 앱, HTTP 라이브러리, 프록시 중 어디에서 바뀌는지 확인해 주세요.",
    english:
      "Use url and headers as POST /launch answered them, to the letter. Look where they are "
      + "changed: in the app, its HTTP library or a proxy.")

  static func malformedSignature(_ reason: Wording) -> Finding {
    Finding(
      .problem, .malformedSignature,
      Wording(
        korean: "서명의 형식이 올바르지 않습니다: \(reason[.korean])",
        english: "The signature is malformed: \(reason[.english])"),
      advice: changeNothing)
  }

  static let wrongTag = Finding(
    .problem, .wrongTag,
    Wording(
      korean: "signature-input에 tag=\"moment-launch\"가 없습니다. LaunchLink가 발급한 서명이 아니거나 일부가 지워졌습니다.",
      english:
        "signature-input has no tag=\"moment-launch\": it is not a signature of LaunchLink, or a part "
        + "of it is gone."),
    advice: changeNothing)

  static func wrongAlgorithm(_ algorithm: String?) -> Finding {
    Finding(
      .problem, .wrongAlgorithm,
      Wording(
        korean:
          "서명 알고리즘(alg)이 \(algorithm ?? "빠져 있습니다")\(algorithm == nil ? "" : "입니다"). hmac-sha256이어야 합니다.",
        english: "The signature's alg is \(algorithm ?? "missing"). It has to be hmac-sha256."),
      advice: changeNothing)
  }

  static func missingComponent(_ names: [String]) -> Finding {
    let list = names.joined(separator: ", ")
    return Finding(
      .problem, .missingComponent,
      Wording(
        korean: "서명이 보호해야 하는 항목 중 다음이 signature-input에 없습니다: \(list)",
        english: "The signature does not cover all that it has to; signature-input lacks: \(list)"),
      advice: changeNothing)
  }

  static func unknownKey(_ id: String) -> Finding {
    Finding(
      .problem, .unknownKey,
      Wording(
        korean: "서명 키 \(id)는 이 서버에 없는 키입니다. 다른 환경(예: 테스트 서버)의 LaunchLink에서 발급된 것으로 보입니다.",
        english: "The signing key \(id) is unknown here. The launch seems to come from another "
          + "installation of LaunchLink, such as a test server."),
      advice: Wording(
        korean: "호출하는 LaunchLink 주소와 API 키가 같은 환경의 것인지 확인해 주세요.",
        english:
          "Check that the address of LaunchLink and the API key belong to the same environment."))
  }

  static func pendingKey(_ id: String) -> Finding {
    Finding(
      .problem, .pendingKey,
      Wording(
        korean: "서명 키 \(id)는 아직 활성화되지 않은 키라서 이 키의 서명은 인정되지 않습니다.",
        english: "The signing key \(id) is not active yet, so nothing that it signed is accepted."),
      advice: askAgain)
  }

  static func retiredKey(_ id: String, until: Timestamp?) -> Finding {
    let time = until.map(Wording.moment)
    return Finding(
      .problem, .retiredKey,
      Wording(
        korean:
          "서명 키 \(id)는 교체되어\(time.map { " \($0[.korean])까지만" } ?? " 더 이상") 유효했습니다. 아주 오래전에 발급된 실행입니다.",
        english: "The signing key \(id) is retired and verified "
          + "\(time.map { "until \($0[.english]) only" } ?? "for a time only"). The launch is old."),
      advice: askAgain)
  }

  static func revokedKey(_ id: String, at time: Timestamp?) -> Finding {
    let time = time.map(Wording.moment)
    return Finding(
      .problem, .revokedKey,
      Wording(
        korean:
          "서명 키 \(id)는\(time.map { " \($0[.korean])에" } ?? "") 폐기되었습니다. 이 키로 서명된 실행은 모두 거부됩니다.",
        english:
          "The signing key \(id) was revoked\(time.map { " at \($0[.english])" } ?? ""). Every "
          + "launch that it signed is refused."),
      advice: askAgain)
  }

  /// A part whose original is known; `how` is such as `it was 2, is 1`.
  static func altered(_ part: Wording, how: Wording) -> Finding {
    Finding(
      .problem, .alteredPart,
      Wording(
        korean: "발급된 뒤에 바뀐 부분을 찾았습니다: \(part[.korean]). \(how[.korean])",
        english: "This was changed after the launch was issued: \(part[.english]). \(how[.english])"
      ),
      advice: changeNothing)
  }

  static let signatureMismatch = Finding(
    .problem, .signatureMismatch,
    Wording(
      korean: "서명이 요청과 맞지 않습니다. 발급된 뒤에 URL이나 헤더가 바뀌었거나, 서로 다른 실행의 값이 섞였습니다. 어느 부분인지는 알 수 없었습니다.",
      english:
        "The signature does not fit the request: the URL or a header was changed after the launch "
        + "was issued, or parts of different launches were mixed. Which part could not be told."),
    advice: changeNothing)

  static func unknownProject(_ id: String) -> Finding {
    let isShaped = ProjectID(id) != nil
    return Finding(
      .problem, .unknownProject,
      Wording(
        korean: isShaped
          ? "프로젝트 \(id)는 이 서버에 등록되어 있지 않습니다."
          : "x-moment-project-id 값 ‘\(id)’는 프로젝트 ID가 아닙니다. 16진수 소문자 24자리여야 합니다.",
        english: isShaped
          ? "The project \(id) is not known here."
          : "‘\(id)’ in x-moment-project-id is no project id, which has 24 lower-case hexadecimal digits."
      ),
      advice: Wording(
        korean: "x-moment-project-id 값과 사용 중인 환경(운영/테스트)을 확인해 주세요.",
        english: "Check x-moment-project-id and which environment is used."))
  }

  static func disabledProject(_ project: Project, since time: Timestamp) -> Finding {
    let moment = Wording.moment(time)
    return Finding(
      .problem, .disabledProject,
      Wording(
        korean: "프로젝트 \(project.name)(\(project.id))는 \(moment[.korean])부터 사용이 중지된 상태입니다.",
        english:
          "The project \(project.name) (\(project.id)) is disabled since \(moment[.english])."),
      advice: Wording(
        korean: "프로젝트가 중지된 이유를 담당자에게 확인해 주세요. 다시 사용하려면 관리자가 활성화해야 합니다.",
        english: "Ask the administrator why; the project has to be enabled again."))
  }

  static func olderThanProject(createdAt: Timestamp) -> Finding {
    let moment = Wording.moment(createdAt)
    return Finding(
      .problem, .olderThanProject,
      Wording(
        korean:
          "프로젝트가 \(moment[.korean])에 새로 만들어졌는데, 이 실행은 그보다 먼저 발급되었습니다. 이전 프로젝트의 실행은 인정되지 않습니다.",
        english:
          "The project was created anew at \(moment[.english]), after this launch was issued. Launches "
          + "of its earlier life are refused."),
      advice: askAgain)
  }

  static let usedLaunch = Finding(
    .problem, .usedLaunch,
    Wording(
      korean: "이 실행은 이미 한 번 사용되었습니다. 이 프로젝트에서는 실행을 한 번만 사용할 수 있습니다.",
      english: "The launch was used already, and the project's launches may be used once."),
    advice: askAgain)

  static let revokedLaunch = Finding(
    .problem, .revokedLaunch,
    Wording(
      korean: "이 실행은 철회되어 더 이상 사용할 수 없습니다. 사용자가 로그아웃했을 수 있습니다.",
      english: "The launch was revoked, perhaps since its user signed out."),
    advice: askAgain)

  static func expired(at time: Timestamp, now: Timestamp, lifetime: Int64) -> Finding {
    let ago = Wording.duration(seconds: now.seconds - time.seconds)
    let (moment, life) = (Wording.moment(time), Wording.duration(seconds: lifetime))
    return Finding(
      .problem, .expired,
      Wording(
        korean: "\(ago[.korean]) 전에 만료되었습니다(\(moment[.korean]), 유효 시간 \(life[.korean])).",
        english: "It expired \(ago[.english]) ago, at \(moment[.english]), having lived "
          + "\(life[.english])."),
      advice: askAgain)
  }

  static func notYetValid(issuedAt: Timestamp, now: Timestamp) -> Finding {
    let ahead = Wording.duration(seconds: issuedAt.seconds - now.seconds)
    let moment = Wording.moment(issuedAt)
    return Finding(
      .problem, .notYetValid,
      Wording(
        korean: "발급 시각(\(moment[.korean]))이 현재보다 \(ahead[.korean]) 뒤입니다. 서버의 시계가 맞지 않는 것으로 보입니다.",
        english:
          "It was issued \(ahead[.english]) in the future, at \(moment[.english]): a server's clock "
          + "is wrong."),
      advice: Wording(
        korean: "LaunchLink 서버와 확인하는 서버의 시계를 NTP로 맞춰 주세요. 파트너 쪽 문제는 아닙니다.",
        english: "The servers' clocks have to be set right (NTP). It is not the partner's fault."))
  }

  static let rightSignature = Finding(
    .good, .rightSignature,
    Wording(
      korean: "서명이 올바릅니다. URL과 헤더는 발급된 그대로입니다.",
      english: "The signature is right: URL and headers are as they were issued."))

  static func rightProject(_ project: Project) -> Finding {
    Finding(
      .good, .rightProject,
      Wording(
        korean: "프로젝트 \(project.name)(\(project.id))는 사용 중인 프로젝트입니다.",
        english: "The project \(project.name) (\(project.id)) is known and enabled."))
  }

  static func inTime(until time: Timestamp, now: Timestamp) -> Finding {
    let left = Wording.duration(seconds: time.seconds - now.seconds)
    let moment = Wording.moment(time)
    return Finding(
      .good, .inTime,
      Wording(
        korean: "아직 유효합니다. \(left[.korean]) 뒤(\(moment[.korean]))에 만료됩니다.",
        english: "It is still in time and expires in \(left[.english]), at \(moment[.english])."))
  }
}
