import Domain

/// The cashback web that launches lead to.
enum Fixtures {
  static let origin = "https://cashback-ui.moment.fairytech.ai"
  static let now = Timestamp(seconds: 1_764_460_800)
  static let projectID = need(ProjectID("67b6f2a9688f4a05db0a1d45"), "a project id")
  static let webAPIKey = "wk_fuzz_0123456789abcdef"
  static let pages = [
    "/cashback", "/cashback/detail", "/cashback/transactions", "/settings", "/cs",
  ]

  static let site = Site(
    upstreams: ["production": need(Upstream(baseURL: origin + "/main"), "an upstream")],
    pages: [
      page("main", pages[0], [.init(.category, isRequired: false)]),
      page("program", pages[1], [.init(.business, isRequired: true)]),
      page("transactions", pages[2]), page("settings", pages[3]), page("cs", pages[4]),
    ],
    categories: [Category(key: "beauty", label: "뷰티"), Category(key: "odd", label: "A&B+50%")],
    deepLinkScheme: "moment")

  static let project = Project(
    id: projectID, name: "Acme", keyDelivery: .gateway, createdAt: Timestamp(seconds: 0),
    updatedAt: Timestamp(seconds: 0))

  private static func page(
    _ name: String, _ path: String, _ parameters: [Page.Parameter] = []
  ) -> Page {
    need(Page(name: name, path: path, parameters: parameters), "a page")
  }

  static let credentials = LaunchCredentials(
    project: project, webAPIKey: webAPIKey, signer: signer(of: projectID))

  static func signer(of project: ProjectID) -> LaunchSigner {
    LaunchSigner(
      keyID: need(SigningKeyID("sk_000000000001"), "a key id"), secret: Array(0..<32),
      projectID: project)
  }

  /// A launch that is the same in every run.
  static func launch(redirectTo: String?) throws -> Launch {
    var request = LaunchRequest()
    request.userID = "USER-123"
    request.platform = "IOS"
    request.redirectTo = redirectTo
    var numbers = Numbers()
    return try LaunchIssuer(site: site).issue(
      request, with: credentials, directory: Office(), at: now, using: &numbers)
  }
}

/// Random numbers that are the same in every run.
struct Numbers: RandomNumberGenerator {
  var state: UInt64 = 0

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let value = (state ^ (state >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    return value ^ (value >> 33)
  }
}

/// One project, one signing key, three businesses.
struct Office: ExplanationDirectory {
  private let key = SigningKey(
    id: Fixtures.credentials.signer.keyID, state: .active, createdAt: Timestamp(seconds: 0),
    activatedAt: Timestamp(seconds: 0))

  func standing(ofBusiness id: String) -> BusinessStanding {
    switch id {
    case "11st", "coupang": .active
    case "closedmall": .inactive
    default: .unknown(nearest: [])
    }
  }
  func project(_ id: ProjectID) -> Project? { id == Fixtures.projectID ? Fixtures.project : nil }
  func isLoggedOut(_ userID: String, of projectID: ProjectID, since launch: Timestamp) -> Bool {
    false
  }
  func isUsed(_ id: LaunchID) -> Bool { false }
  func signingKey(_ id: SigningKeyID) -> SigningKey? { id == key.id ? key : nil }
  func apiKey(_ id: KeyID) -> APIKey? { nil }
  func webAPIKey(of id: ProjectID) -> String? { project(id) == nil ? nil : Fixtures.webAPIKey }
  func forEachWebAPIKey(_ body: (ProjectID, String) throws -> Void) rethrows {
    try body(Fixtures.projectID, Fixtures.webAPIKey)
  }
  func credentials(
    keyID: SigningKeyID, projectID: ProjectID?, at now: Timestamp
  ) -> BundleCredentials {
    guard keyID == key.id else { return .unknownKey }
    guard let project = projectID.flatMap(project) else { return .unknownProject }
    return .known(
      VerificationCredentials(
        project: project, signer: Fixtures.signer(of: project.id),
        webAPIKey: webAPIKey(of: project.id)))
  }
}

extension Collection<UInt8> {
  /// The bytes as text, what is no UTF-8 replaced.
  var text: String { String(decoding: self, as: UTF8.self) }

  /// The lines of the text; the last of `count` takes the rest.
  func lines(upTo count: Int) -> [String] {
    text.utf8.split(
      separator: UInt8(ascii: "\n"), maxSplits: count - 1, omittingEmptySubsequences: false
    ).map { String(decoding: $0, as: UTF8.self) }
  }
}
