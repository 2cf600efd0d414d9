internal import Domain
internal import Encoding

/// Checks the signature.
extension Diagnosis {
  mutating func checkSignature() throws {
    let claims = Claims(of: pasted)
    parts.launchID = claims?.nonce?.description
    parts.signingKeyID = claims?.keyID.flatMap(SigningKeyID.init)?.description
    parts.issuedAt = claims?.created.map(Timestamp.init(seconds:))
    parts.expiresAt = claims?.expires.map(Timestamp.init(seconds:))

    let request = pasted.signedRequest
    let verdict = try request.map {
      try BundleVerifier(site: site).verify($0, directory: directory, at: now)
    }
    if case .valid = verdict {
      isVouched = true
      add(.rightSignature)
    }
    if case .invalid(let code, _) = verdict, let request {
      // Hidden or cut text is not a fault of the launch.
      if verdict?.isAuthentic == true || (maskedParts.isEmpty && !pasted.isCutOff) {
        try explain(code, claims: claims, request: request)
      } else if let claims {
        try checkKey(claims)
      }
    } else if verdict == nil, let claims {
      try checkKey(claims)
    } else if verdict == nil, pasted.url.flatMap(URLParts.init) != nil {
      explainMalformed(claims)
    }
    if let claims { checkTimes(claims) }
  }

  /// Reports a malformed signature, or an unreadable one where the text does not show where a value
  /// ends.
  private mutating func explainMalformed(_ claims: Claims?) {
    guard maskedParts.isEmpty, !pasted.isCutOff else { return }
    let isDoubled = findings.contains { $0.code == .doubledHeader }
    let reason = MalformedSignature.reason(in: pasted, claims: claims, isFound: !isDoubled)
    guard let reason else { return }
    let isRead = ["signature-input", "signature"].allSatisfy { name in
      pasted.values(of: name).allSatisfy(PastedRequest.isStructured)
    }
    add(pasted.isExact || isRead ? .malformedSignature(reason) : .unreadable(reason))
  }

  /// Reports why the verifier refuses; times and the project are checked by the claims.
  private mutating func explain(
    _ code: RefusalCode, claims: Claims?, request: SignedRequest
  ) throws {
    switch code {
    case .missingSignature:
      return
    case .malformedSignature:
      explainMalformed(claims)
    case .wrongTag:
      add(pasted.isExact || claims?.hasTag == true ? .wrongTag : .unreadable(nil))
    case .missingComponent:
      explainMissing(claims)
    case .unknownKey:
      if let claims { try checkKey(claims) }
    case .signatureMismatch:
      try explainMismatch(request)
    case .authorityMismatch, .notYetValid, .expired, .projectDisabled:
      // The MAC is right; checkURL, checkTimes and checkProject report the rest.
      add(.rightSignature)
      isVouched = true
    case .replayed:
      add(.rightSignature)
      isVouched = true
      add(.usedLaunch)
    case .revoked:
      add(.rightSignature)
      isVouched = true
      if !isOlderThanProject(claims) { add(.revokedLaunch) }
    }
  }

  private mutating func explainMissing(_ claims: Claims?) {
    guard let claims else { return }
    if claims.algorithm != BundleSignature.algorithm {
      add(.wrongAlgorithm(claims.algorithm.map(redaction.value)))
    }
    let missing = BundleSignature.components.filter { !claims.components.contains($0) }
    if !missing.isEmpty { add(.missingComponent(missing)) }
    var parameters: [String] = []
    if claims.created == nil { parameters.append("created") }
    if claims.expires == nil { parameters.append("expires") }
    if claims.keyID == nil { parameters.append("keyid") }
    if claims.nonceText == nil { parameters.append("nonce") }
    if !parameters.isEmpty {
      add(pasted.isExact ? .missingComponent(parameters) : .unreadable(nil))
    }
    // The remaining causes: a covered header was not pasted, or a component has parameters.
    let hasReason = findings.contains {
      [.missingHeader, .missingComponent, .wrongAlgorithm, .unreadable].contains($0.code)
    }
    if !hasReason {
      let names = claims.components.filter { !$0.hasPrefix("@") && pasted.values(of: $0).isEmpty }
      add(.missingComponent(names.isEmpty ? BundleSignature.components : names.map(redaction.name)))
    }
  }

  private mutating func explainMismatch(_ request: SignedRequest) throws {
    let signature: ReceivedSignature
    do throws(Refusal) {
      signature = try ReceivedSignature(of: request)
    } catch {
      return
    }
    guard signature.code != nil else {
      add(
        .malformedSignature(
          Wording(
            korean: "signature 헤더에 signature-input과 같은 이름의 서명이 없습니다. 두 헤더의 이름(launch=)이 서로 달라졌습니다.",
            english: "signature has none by the label that signature-input uses; both begin with "
              + "launch=.")))
      return
    }
    let search = AlterationSearch(
      site: site, signature: signature, request: request, project: project,
      webAPIKey: try project.flatMap { try directory.webAPIKey(of: $0.id) }, redaction: redaction,
      projectIDs: projectIDs)
    let alterations = try search.alterations { keyID, projectID in
      let found = try directory.credentials(keyID: keyID, projectID: projectID, at: now)
      return if case .known(let credentials) = found { credentials.signer } else { nil }
    } suggestions: { id in
      if case .unknown(let nearest) = try directory.standing(ofBusiness: id) { nearest } else { [] }
    }
    guard let alterations else {
      add(pasted.isExact || pasted.isComplete ? .signatureMismatch : .unreadable(nil))
      return
    }
    for alteration in alterations {
      if let original = alteration.originals["x-moment-project-id"] { try restoreProject(original) }
      add(alteration.finding)
    }
  }

  // MARK: What the bundle says of itself

  private mutating func checkKey(_ claims: Claims) throws {
    guard let named = claims.keyID, !Masking.isMasked(named) else { return }
    guard let id = SigningKeyID(named), let key = try directory.signingKey(id) else {
      add(.unknownKey(redaction.value(named)))
      return
    }
    guard !key.verifies(at: now) else { return }
    switch key.state {
    case .active, .retired: add(.retiredKey(named, until: key.verifiesUntil))
    case .pending: add(.pendingKey(named))
    case .revoked: add(.revokedKey(named, at: key.revokedAt))
    }
  }

  private mutating func checkTimes(_ claims: Claims) {
    guard let created = claims.created, let expires = claims.expires else { return }
    let (issuedAt, expiresAt) = (Timestamp(seconds: created), Timestamp(seconds: expires))
    if created > now.seconds + BundleVerifier.clockSkew {
      add(.notYetValid(issuedAt: issuedAt, now: now))
    } else if now.seconds >= expires {
      add(.expired(at: expiresAt, now: now, lifetime: expires - created))
    } else if isVouched || pasted.url == nil {
      add(.inTime(until: expiresAt, now: now))
    }
    if isOlderThanProject(claims), let project {
      add(.olderThanProject(createdAt: project.createdAt))
    }
  }

  private func isOlderThanProject(_ claims: Claims?) -> Bool {
    guard let project, let nonce = claims?.nonce else { return false }
    return nonce.milliseconds < project.createdAt.milliseconds
  }
}

/// The claims of a bundle, read leniently and not verified.
struct Claims {
  private(set) var keyID: String?
  private(set) var algorithm: String?
  private(set) var nonceText: String?
  /// In seconds; nil too where it is no time in seconds.
  private(set) var created: Int64?
  /// In seconds; nil too where it is no time in seconds.
  private(set) var expires: Int64?
  private(set) var components: [String] = []
  /// Whether there is a tag, right or wrong.
  let hasTag: Bool
  /// Whether a time is in milliseconds.
  private(set) var hasMilliseconds = false

  var nonce: LaunchID? { nonceText.flatMap(LaunchID.init) }

  /// Reads `signature-input`; nil where it is no structured dictionary.
  init?(of pasted: PastedRequest) {
    let input = pasted.values(of: "signature-input").first ?? ""
    guard input.utf8.count <= StructuredFieldReader.longestValue,
      let members = StructuredDictionary(input)?.members, let first = members.first
    else { return nil }
    let member =
      members.first { $0.parameter("tag") == .string(BundleSignature.tag) } ?? first
    func text(_ name: String) -> String? {
      if case .string(let text) = member.parameter(name) { text } else { nil }
    }
    func time(_ name: String) -> Int64? {
      guard case .integer(let time) = member.parameter(name) else { return nil }
      guard !pasted.isStump(time: time) else { return nil }
      guard BundleVerifier.isSeconds(time) else {
        hasMilliseconds = true
        return nil
      }
      return time
    }
    hasTag = member.parameter("tag") != nil
    keyID = text("keyid")
    algorithm = text("alg")
    nonceText = text("nonce")
    created = time("created")
    expires = time("expires")
    if case .list(let items) = member.content {
      components = items.compactMap { item in
        if case .string(let name) = item.value { name } else { nil }
      }
    }
  }
}
