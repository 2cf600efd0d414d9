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
public struct VerifiedLaunch: Sendable, Equatable {
  /// The launch's identifier.
  public let launchID: LaunchID
  /// Whose launch it is.
  public let projectID: ProjectID
  /// The signed-in user.
  public let userID: String
  /// The web view's platform.
  public let platform: String
  /// When it was issued.
  public let issuedAt: Timestamp
  /// From when it is refused.
  public let expiresAt: Timestamp
  /// Whether its project lets it be used again.
  public let replayPolicy: ReplayPolicy
}

/// The outcome of verifying a bundle.
public enum Verdict: Sendable, Equatable {
  case valid(VerifiedLaunch)
  /// Refused; the detail says what to do and nothing secret.
  case invalid(RefusalCode, detail: String)
}

/// Where a verifier finds keys and projects.
public protocol VerificationDirectory {
  /// The signer of `projectID` under the signing key; nil where that key does not verify at `now`.
  func verifier(
    keyID: SigningKeyID, projectID: ProjectID, at now: Timestamp
  ) throws -> LaunchSigner?

  /// Whether the signing key verifies at `now`, regardless of the project.
  func isVerifying(keyID: SigningKeyID, at now: Timestamp) throws -> Bool

  /// The project, enabled or disabled; nil where it does not exist or is not visible to the caller.
  func project(_ id: ProjectID) throws -> Project?

  /// When the user of the project was last logged out; nil where no launch from before then can
  /// still be valid.
  func lastLogOut(of userID: String, in projectID: ProjectID) throws -> Timestamp?

  /// Whether the launch, whose project has the `replay_policy` `once`, was used already.
  func isUsed(_ id: LaunchID) throws -> Bool
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

  private let site: Site

  /// Makes a verifier for `site`.
  public init(site: Site) {
    self.site = site
  }

  /// Checks a request in the order of the contract: parse, tag, components, key, MAC, authority,
  /// time, project, revocation, replay.
  ///
  /// No claim of the bundle is trusted before its MAC is verified. The launch is not used up.
  ///
  /// - Throws: the directory's own error.
  public func verify(
    _ request: SignedRequest, directory: some VerificationDirectory, at now: Timestamp
  ) throws -> Verdict {
    do {
      let signature = try ReceivedSignature(of: request)
      let base = try signature.base(of: request)
      guard let keyID = SigningKeyID(signature.keyID),
        try directory.isVerifying(keyID: keyID, at: now)
      else {
        throw Refusal(
          .unknownKey, "The signing key is unknown or no longer verifies. Ask for a new launch.")
      }
      let project = try authenticate(
        signature, base: base, keyID: keyID, request: request, directory: directory, now: now)
      let userID = request.values(of: "x-moment-user-id").joined()
      let platform = request.values(of: "x-moment-platform").joined()
      guard LaunchIssuer.isUserID(userID), Platform(rawValue: platform) != nil else {
        throw Refusal(
          .malformedSignature,
          "The signature is right, but no launch has such a user id or platform. Ask for a new one."
        )
      }
      try check(project, signature: signature, request: request, now: now)
      if let time = try directory.lastLogOut(of: userID, in: project.id),
        signature.nonce.milliseconds <= time.milliseconds
      {
        throw Refusal(.revoked, "The user was logged out after this launch. Ask for a new one.")
      }
      if project.replayPolicy == .once, try directory.isUsed(signature.nonce) { return .replayed }
      return .valid(
        VerifiedLaunch(
          launchID: signature.nonce, projectID: project.id, userID: userID,
          platform: platform, issuedAt: Timestamp(seconds: signature.created),
          expiresAt: signature.end, replayPolicy: project.replayPolicy))
    } catch let refusal as Refusal {
      return .invalid(refusal.code, detail: refusal.detail)
    }
  }

  private func authenticate(
    _ signature: ReceivedSignature, base: [UInt8], keyID: SigningKeyID, request: SignedRequest,
    directory: some VerificationDirectory, now: Timestamp
  ) throws -> Project {
    guard let id = ProjectID(request.values(of: "x-moment-project-id").joined()),
      let project = try directory.project(id),
      let verifier = try directory.verifier(keyID: keyID, projectID: id, at: now),
      let code = signature.code, verifier.isValid(code, for: base)
    else {
      throw Refusal(
        .signatureMismatch,
        "The signature does not fit the request. Load the URL to the letter as it was given, with "
          + "the headers unchanged.")
    }
    return project
  }

  private func check(
    _ project: Project, signature: ReceivedSignature, request: SignedRequest, now: Timestamp
  ) throws {
    guard site.upstreams[project.upstream]?.authority == request.url.authority else {
      throw Refusal(
        .authorityMismatch, "The host is not the one of the project's upstream. Check the URL.")
    }
    if signature.created > now.seconds + Self.clockSkew {
      throw Refusal(
        .notYetValid, "The launch was issued in the future. Set the clocks of the servers right.")
    }
    if now >= signature.end {
      throw Refusal(.expired, "The launch expired at \(signature.end). Ask for a new one.")
    }
    if project.disabledAt != nil {
      throw Refusal(.projectDisabled, "The project is disabled. Ask the administrator.")
    }
    if signature.nonce.milliseconds < project.createdAt.milliseconds {
      throw Refusal(
        .revoked, "The launch is older than the project as it is now. Ask for a new one.")
    }
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
