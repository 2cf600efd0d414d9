internal import Domain

/// Builds one explanation: what is known of the launch, and the findings so far.
struct Diagnosis<Directory: ExplanationDirectory> {
  let site: Site
  let directory: Directory
  let now: Timestamp
  /// The whole text, cleaned.
  let text: String
  private(set) var pasted: PastedRequest
  /// The answer in the text, as far as there is one.
  private let answer: PastedAnswer
  private let isEmpty: Bool
  /// The parts of the launch of which something is hidden.
  let maskedParts: [String]

  var parts = Explanation.Parts()
  /// The project that the headers name.
  var project: Project?
  /// Whether the signature shows that URL and headers are exactly as issued.
  var isVouched = false
  private(set) var findings: [Finding] = []
  /// Removes secrets from findings and parts.
  var redaction: Redaction
  /// The projects whose Web API Keys are in the text.
  private var leaks: [ProjectID] = []
  /// Every project of the directory.
  private(set) var projectIDs: [ProjectID] = []

  /// The most Web API Keys that are found in one text.
  private static var mostLeaks: Int { 16 }

  init(
    site: Site, directory: Directory, now: Timestamp, text: String, pasted: PastedRequest?,
    answer: PastedAnswer
  ) throws {
    self.site = site
    self.directory = directory
    self.now = now
    self.text = text
    self.pasted = pasted ?? PastedRequest()
    self.answer = answer
    isEmpty = pasted == nil
    maskedParts = self.pasted.maskedParts
    let search = LeakSearch(
      [text, self.pasted.url ?? ""] + [self.pasted.headers.map(\.value).joined(separator: "\n")])
    var keys: [String] = []
    var leaks: [ProjectID] = []
    var projectIDs: [ProjectID] = []
    try directory.forEachWebAPIKey { id, key in
      projectIDs.append(id)
      guard keys.count < Self.mostLeaks, search.contains(key) else { return }
      keys.append(key)
      leaks.append(id)
    }
    self.leaks = leaks
    self.projectIDs = projectIDs
    redaction = Redaction(site: site, pasted: self.pasted, webAPIKeys: keys)
  }

  /// Adds a finding unless it is there.
  mutating func add(_ finding: Finding) {
    if !findings.contains(finding) { findings.append(finding) }
  }

  /// Corrects the findings once it is known that the project's ID was changed.
  mutating func restoreProject(_ original: String) throws {
    findings.removeAll { $0.code == .rightProject }
    redaction.allow(original)
    project = try ProjectID(original).flatMap(directory.project)
  }

  /// Checks everything.
  ///
  /// - Throws: the directory's own error.
  mutating func explanation() throws -> Explanation {
    try readParts()
    try checkSecrets()
    if !isEmpty {
      try checkRequest()
    } else if PastedJSON.isLaunchRequest(text) {
      add(.callToLaunchLink)
    } else if answer.isEmpty {
      add(.noLaunch)
    }
    checkAnswer()
    return result()
  }

  /// Reports the answer; beside a launch it is not a fault of the launch.
  private mutating func checkAnswer() {
    for code in answer.codes {
      add(.answeredCode(code, severity: isEmpty ? .problem : .warning))
    }
    if answer.codes.isEmpty, let status = answer.status,
      let finding = Finding.answeredStatus(status, severity: isEmpty ? .problem : .warning)
    {
      add(finding)
    }
    guard isEmpty else { return }
    if let id = answer.requestID {
      let isOwn = PastedAnswer.isOwnRequestID(id)
      if isOwn { redaction.allow(id) }
      add(.requestID(isOwn ? id : nil))
    } else if answer.codes.isEmpty, let id = answer.launchID {
      parts.launchID = id.description
      parts.issuedAt = Timestamp(milliseconds: id.milliseconds)
      add(.launchID(issuedAt: Timestamp(milliseconds: id.milliseconds)))
    }
  }

  private mutating func checkRequest() throws {
    guard !isCallToLaunchLink else {
      add(.callToLaunchLink)
      return
    }
    if try isURLStump() {
      pasted.isCutOff = true
      pasted.stump = "url"
    }
    if pasted.isCutOff { add(.cutOff) }
    if pasted.hasBundle || pasted.hasAllHeaders {
      checkHeaders()
      try checkProject()
      try checkSignature()
    } else if pasted.url != nil {
      add(.headersNotGiven)
    }
    try checkURL()
    if !isVouched, !maskedParts.isEmpty { add(.masked(maskedParts)) }
    if isVouched, !pasted.unsureParts.isEmpty { add(.unsure(pasted.unsureParts)) }
    if pasted.hasMoreHeaders { add(.moreHeaders) }
    if pasted.hasOthers { add(.severalLaunches) }
    if !pasted.repairs.isEmpty { add(.repaired(pasted.repairs)) }
  }

  /// The explanation with its findings in order of importance and without secrets.
  private func result() -> Explanation {
    let rank: (Finding) -> (Int, Int) = { finding in
      (
        Finding.Severity.allCases.firstIndex(of: finding.severity) ?? 0,
        Finding.Code.allCases.firstIndex(of: finding.code) ?? 0
      )
    }
    // Swift's sort is stable: findings with the same code keep their order.
    return Explanation(
      findings: findings.sorted { rank($0) < rank($1) }.map { $0.mapped(redaction.redacted) },
      parts: redaction.redacted(parts),
      isOfAnswer: isEmpty && !answer.isEmpty && !findings.contains { $0.code == .notALaunch })
  }

  /// The only value of a header; nil where it is absent, empty or repeated.
  func value(of name: String) -> String? {
    let values = pasted.values(of: name)
    return values.count == 1 && !values[0].isEmpty ? values[0] : nil
  }

  /// Whether a header's value was hidden or cut off, so that it tells nothing.
  func isMasked(_ name: String) -> Bool { maskedParts.contains(name) || pasted.stump == name }

  private mutating func readParts() throws {
    parts.url = pasted.url
    parts.platform = value(of: "x-moment-platform")
    parts.user = value(of: "x-moment-user-id")
    parts.projectID = value(of: "x-moment-project-id")
    project = try parts.projectID.flatMap(ProjectID.init).flatMap(directory.project)
    parts.projectName = project?.name
    // A project's ID is public but looks like a secret; any other value in its header is not shown.
    if let id = parts.projectID.flatMap(ProjectID.init) { redaction.allow(id.description) }
    if let project { redaction.allow(project.name) }
  }

  // MARK: Project and headers

  private mutating func checkProject() throws {
    guard let named = parts.projectID, !isMasked("x-moment-project-id") else { return }
    guard let project else {
      add(.unknownProject(redaction.value(named)))
      return
    }
    if let since = project.disabledAt {
      add(.disabledProject(project, since: since))
    } else {
      add(.rightProject(project))
    }
  }

  private mutating func checkHeaders() {
    if let method = pasted.method, method != "GET" { add(.wrongMethod(redaction.name(method))) }
    let strangers = pasted.headers.map { $0.name.lowercased() }
      .filter { PastedRequest.isOfBundle($0) && !PastedRequest.bundleHeaders.contains($0) }
    for name in PastedRequest.bundleHeaders {
      let values = pasted.values(of: name)
      // In a text that was cut off, the rest may have been there.
      if values.isEmpty {
        if pasted.isCutOff { continue }
        let near = nearest(to: name, in: strangers, limit: 1).first
        add(.missingHeader(name, insteadOf: near.map(redaction.name)))
      } else if values.count > 1 {
        add(.doubledHeader(name, isSame: Set(values).count == 1))
      } else if values[0].isEmpty, !isMasked(name) {
        add(.emptyHeader(name))
      }
    }
  }

  // MARK: Secrets

  /// Words in the names of keys.
  private static var namesOfKeys: [String] {
    ["api_key", "api-key", "apikey", "sample", "example", "dummy", "placeholder"]
  }

  /// Whether the value of x-moment-web-api-key may be a Web API Key: it is not an altered stand-in,
  /// a name or another value of launches.
  private func isForeignKey(_ value: String) -> Bool {
    let lowered = value.lowercased()
    let isOther =
      lowered.hasPrefix("launch") || LaunchID(lowered) != nil || ProjectID(value) != nil
      || SigningKeyID(value) != nil || ["key_", "sk_", "llk_"].contains { value.hasPrefix($0) }
      || pasted.headers.contains {
        $0.name.lowercased() != "x-moment-web-api-key" && $0.value == value
      }
    return Masking.isKeyLike(value) && !isOther
      && !Self.namesOfKeys.contains { lowered.utf8.contains($0.utf8) }
  }

  private mutating func checkSecrets() throws {
    for token in SecretScanner.apiKeys(in: text) {
      let key = try token.id.flatMap(directory.apiKey)
      add(.leakedAPIKey(token.id, key: key, at: now))
    }
    let carried = pasted.values(of: "x-moment-web-api-key")
    let real = try project.flatMap { try directory.webAPIKey(of: $0.id) }
    for id in leaks {
      guard id == project?.id, let project, let real else {
        if let owner = try directory.project(id) {
          redaction.allow("\(owner.name) \(owner.id)")
          add(.leakedWebAPIKey(of: owner))
        }
        continue
      }
      // With direct delivery it belongs in its header and nowhere else.
      let isInPlace =
        project.keyDelivery == .direct && carried.contains(real)
        && !LeakSearch([pasted.url ?? ""]).contains(real)
      add(isInPlace ? .carriedWebAPIKey : .leakedWebAPIKey)
    }
    if leaks.isEmpty,
      carried.contains(where: { $0 != real && isForeignKey($0) })
    {
      add(.foreignWebAPIKey)
    }
  }
}
