/// What a project contributes to a launch besides the request.
public final class LaunchCredentials: Sendable {
  /// The project, enabled.
  public let project: Project
  /// The key that the upstream issued to it: visible ASCII.
  public let webAPIKey: String
  /// Signs with the active signing key.
  public let signer: LaunchSigner

  /// Puts the credentials together.
  ///
  /// - Parameters:
  ///   - project: the project, enabled.
  ///   - webAPIKey: the key that the upstream issued to it: visible ASCII.
  ///   - signer: signs with the active signing key.
  public init(project: Project, webAPIKey: String, signer: LaunchSigner) {
    self.project = project
    self.webAPIKey = webAPIKey
    self.signer = signer
  }
}

/// Issues launches: checks a request, builds its URL and signs its headers.
///
/// It stores nothing, so a caller may always ask for a launch again.
public final class LaunchIssuer: Sendable {
  /// The cashback web that launches go to.
  public let site: Site
  private let ids: LaunchIDSource

  /// Makes an issuer for `site`.
  public init(site: Site, ids: LaunchIDSource = LaunchIDSource()) {
    self.site = site
    self.ids = ids
  }

  /// An issuer for another site that continues this one's launch IDs.
  public func leading(to site: Site) -> LaunchIssuer { LaunchIssuer(site: site, ids: ids) }

  /// Issues one launch.
  ///
  /// - Parameters:
  ///   - request: what the partner asks for.
  ///   - credentials: the project's, from the store.
  ///   - directory: where businesses are looked up.
  ///   - now: the time of issue.
  ///   - clock: the clock that tells the time in the launch's id, which never lies before the project's creation;
  ///     nil, the time of issue, where there is no store.
  ///   - generator: where the id's random bits come from.
  /// - Returns: the launch.
  /// - Throws: `FieldFaults` with everything wrong with the request; `UnknownUpstream`; or the
  ///   directory's own error.
  public func issue(
    _ request: LaunchRequest, with credentials: LaunchCredentials,
    directory: some BusinessDirectory, at now: Timestamp, by clock: LaunchClock? = nil,
    using generator: inout some RandomNumberGenerator
  ) throws -> Launch {
    let project = credentials.project
    var faults = FieldFaultList(request.faults)
    let userID = Self.userID(of: request, faults: &faults)
    let platform = Self.platform(of: request, faults: &faults)
    let destination = try DestinationCheck(site: site, directory: directory)
      .destination(of: request, faults: &faults)
    let ttl = Self.ttl(of: request, project: project, faults: &faults)
    if let report = faults.report { throw report }
    let upstream = try site.upstream(of: project)

    let issuedAt = Timestamp(seconds: now.seconds)
    let time = max(clock?.now ?? now, project.createdAt)
    return Launch(
      id: ids.next(at: time, using: &generator), destination: destination,
      issuedAt: issuedAt, expiresAt: issuedAt.adding(seconds: ttl), site: site,
      upstream: upstream, audience: (project.id, userID, platform),
      webAPIKey: project.keyDelivery == .direct ? credentials.webAPIKey : nil,
      signer: credentials.signer)
  }

  /// The time in the latest launch's ID; nil before the first.
  public var latest: Timestamp? { ids.latest }

  // MARK: Fields

  /// The faults of the fields that name the user and the platform; nil where there are none.
  ///
  /// - Parameter request: its `userID`, `platform` and `faults` are looked at.
  /// - Returns: the faults in their order.
  public static func faultsOfAudience(in request: LaunchRequest) -> FieldFaults? {
    var faults = FieldFaultList(request.faults)
    _ = userID(of: request, faults: &faults)
    _ = platform(of: request, faults: &faults)
    return faults.report
  }

  /// The faults of the field that names the user whose launches are revoked; nil where there are
  /// none.
  ///
  /// - Parameter request: its `userID` and `faults` are looked at.
  /// - Returns: the faults in their order.
  public static func faultsOfUser(in request: LaunchRequest) -> FieldFaults? {
    var faults = FieldFaultList(request.faults)
    _ = userID(of: request, faults: &faults)
    return faults.report
  }

  /// Whether a text may be a user's identifier.
  public static func isUserID(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && text.isVisibleASCII
  }

  private static func userID(of request: LaunchRequest, faults: inout FieldFaultList) -> String {
    guard let userID = request.userID else {
      faults.add(
        FieldFault("user_id", .missingField, "Add user_id: the signed-in user's identifier."))
      return ""
    }
    if !isUserID(userID) {
      faults.add(
        FieldFault(
          "user_id", .invalidField,
          "user_id has to be 1 to 128 visible ASCII characters without spaces: it becomes a header "
            + "value."))
    }
    return userID
  }

  private static func platform(of request: LaunchRequest, faults: inout FieldFaultList) -> Platform
  {
    guard let name = request.platform else {
      faults.add(FieldFault("platform", .missingField, "Add platform: IOS or ANDROID."))
      return .ios
    }
    guard let platform = Platform(rawValue: name) else {
      faults.add(
        FieldFault(
          "platform", .invalidField, "platform has to be IOS or ANDROID, in capital letters."))
      return .ios
    }
    return platform
  }

  private static func ttl(
    of request: LaunchRequest, project: Project, faults: inout FieldFaultList
  ) -> Int {
    guard let wished = request.ttlSeconds else { return project.ttl }
    let range = Int64(Project.lifetimes.lowerBound)...Int64(project.ttl)
    if !range.contains(wished) {
      faults.add(
        FieldFault(
          "ttl_seconds", .invalidField,
          "ttl_seconds has to be a whole number from \(range.lowerBound) to \(range.upperBound), "
            + "the project's limit."))
    }
    return Int(clamping: wished)
  }
}

/// A project's upstream is not among the configured ones.
public struct UnknownUpstream: Error, Sendable {
  /// The name that the project holds.
  public let name: String
  /// The names that exist.
  public let known: [String]
}
