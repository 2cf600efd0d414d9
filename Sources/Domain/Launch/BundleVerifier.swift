/// Why a bundle is refused (openapi.yaml, `POST /verify`).
public enum RefusalCode: String, Sendable, CaseIterable {
  case missingSignature = "missing_signature"
  case malformedSignature = "malformed_signature"
  case wrongTag = "wrong_tag"
  case missingComponent = "missing_component"
  case unknownKey = "unknown_key"
  case signatureMismatch = "signature_mismatch"
  case authorityMismatch = "authority_mismatch"
  case notYetValid = "not_yet_valid"
  case expired
  case projectDisabled = "project_disabled"
  case revoked
  case replayed
}

/// What a valid bundle says.
public struct VerifiedLaunch: Sendable {
  /// The launch's identifier.
  public let launchID: LaunchID
  /// The signed-in user.
  public let userID: String
  /// The web view's platform.
  public let platform: Platform
  /// When it was issued.
  public let issuedAt: Timestamp
  /// From when it is refused.
  public let expiresAt: Timestamp
  /// Its project's, with which it is signed.
  public let credentials: VerificationCredentials

  /// Whose launch it is.
  public var projectID: ProjectID { credentials.project.id }
  /// Whether its project lets it be used again.
  public var replayPolicy: ReplayPolicy { credentials.project.replayPolicy }
}

/// The outcome of verifying a bundle.
public enum Verdict: Sendable {
  case valid(VerifiedLaunch)
  /// Refused; the detail says what to do and nothing secret.
  case invalid(RefusalCode, detail: String)
}

/// What a verification does about an earlier use of a launch that may be used once.
public enum UseCheck: Sendable {
  /// It is looked up: the launch is not used now.
  case lookedUp
  /// The caller uses the launch up if the verdict is valid, and thereby learns of an earlier use.
  case leftToUse
}

extension Verdict {
  /// The verdict on a launch that was used before.
  public static let replayed = Verdict.invalid(
    .replayed, detail: "The launch was used already and may be used once. Ask for a new one.")
}

/// Verifies bundles (openapi.yaml, `POST /verify`; RFC 9421 section 3.2).
public struct BundleVerifier: Sendable {
  /// How many seconds `created` may lie in the future.
  public static let clockSkew: Int64 = 30
  /// A time from here on is taken for milliseconds; in seconds it would be the year 5138.
  private static let firstMilliseconds: Int64 = 100_000_000_000

  let site: Site

  /// Makes a verifier for `site`.
  public init(site: Site) {
    self.site = site
  }

  /// Checks a request in the order of the contract: parse, tag, components, key, MAC, authority,
  /// time, project, revocation, replay.
  ///
  /// No claim of the bundle is trusted before its MAC is verified. The launch is not used up.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - use: whether an earlier use is looked up.
  ///   - directory: where keys and projects are found.
  ///   - now: the time of the verification.
  /// - Returns: the verdict.
  /// - Throws: the directory's own error.
  public func verify(
    _ request: SignedRequest, use: UseCheck = .lookedUp, directory: some VerificationDirectory,
    at now: Timestamp
  ) throws -> Verdict {
    do {
      let signature = try ReceivedSignature(of: request)
      let credentials = try credentials(
        of: signature, base: signature.base(of: request), request: request, directory: directory,
        now: now)
      let bundle = AuthenticBundle(
        launchID: signature.nonce, created: signature.created, expires: signature.expires,
        userID: request.values(of: "x-moment-user-id").joined(),
        platform: Platform(rawValue: request.values(of: "x-moment-platform").joined()))
      return try judge(
        bundle, signedWith: credentials, use: use, directory: directory, at: now,
        isForAuthority: { $0 == request.url.authority })
    } catch let refusal as Refusal {
      return .invalid(refusal.code, detail: refusal.detail)
    }
  }

  /// The credentials that the bundle is signed with.
  ///
  /// - Throws: `Refusal` where it is signed with none, or the directory's own error.
  private func credentials(
    of signature: ReceivedSignature, base: [UInt8], request: SignedRequest,
    directory: some VerificationDirectory, now: Timestamp
  ) throws -> VerificationCredentials {
    let found = try SigningKeyID(signature.keyID).map { keyID in
      try directory.credentials(
        keyID: keyID, projectID: ProjectID(request.values(of: "x-moment-project-id").joined()),
        at: now)
    }
    switch found {
    case nil, .unknownKey:
      throw Refusal(
        .unknownKey, "The signing key is unknown or no longer verifies. Ask for a new launch.")
    case .known(let credentials):
      if let code = signature.code, credentials.signer.isValid(code, for: base) {
        return credentials
      }
    case .unknownProject: break
    }
    throw Refusal(
      .signatureMismatch,
      "The signature does not fit the request. Load the URL to the letter as it was given, with "
        + "the headers unchanged.")
  }

  /// Whether a time is in seconds and not in milliseconds.
  public static func isSeconds(_ time: Int64) -> Bool {
    (0..<firstMilliseconds).contains(time)
  }
}

/// The refusal of a bundle, thrown inside the verifier.
public struct Refusal: Error {
  /// Why.
  public let code: RefusalCode
  /// What to do about it; nothing secret.
  public let detail: String

  init(_ code: RefusalCode, _ detail: String) {
    self.code = code
    self.detail = detail
  }
}
