internal import Cryptography
public import Domain

/// A cashback web of two upstreams.
public func makeSite() throws -> Site {
  Site(
    upstreams: [
      "production": try required(
        Upstream(baseURL: "https://cashback-ui.moment.fairytech.ai/main")),
      "canary": try required(
        Upstream(baseURL: "https://canary-cashback-ui.moment.fairytech.ai/main")),
    ],
    pages: [
      try required(
        Page(name: "main", path: "/cashback", parameters: [.init(.category, isRequired: false)])),
      try required(
        Page(
          name: "program", path: "/cashback/detail",
          parameters: [.init(.business, isRequired: true)])),
      try required(Page(name: "transactions", path: "/cashback/transactions")),
      try required(Page(name: "settings", path: "/settings")),
      try required(Page(name: "cs", path: "/cs")),
    ],
    categories: [Category(key: "beauty", label: "뷰티"), Category(key: "odd", label: "A&B+50%")],
    deepLinkScheme: "moment")
}

/// A catalogue of three.
public struct FixedDirectory: BusinessDirectory {
  /// Makes it.
  public init() {}

  /// Whether a business can be launched.
  public func standing(ofBusiness id: String) -> BusinessStanding {
    switch id {
    case "11st", "coupang": .active
    case "closedmall": .inactive
    default: .unknown(nearest: nearest(to: id, in: ["11st", "coupang", "closedmall"]))
    }
  }
}

/// The project of the vectors.
public let projectID = "67b6f2a9688f4a05db0a1d45"
/// The time that launches are issued at.
public let issueTime = Timestamp(seconds: 1_764_460_800)

/// A project of the vectors' id, unless another is named.
public func makeProject(
  _ id: String = projectID, delivery: KeyDelivery = .direct, ttl: Int = 300,
  createdAt: Timestamp = Timestamp(seconds: 0)
) throws -> Project {
  Project(
    id: try required(ProjectID(id)), name: "Acme", keyDelivery: delivery, ttl: ttl,
    createdAt: createdAt, updatedAt: createdAt)
}

/// The signer of a project under the only signing key.
public func makeSigner(_ id: String = projectID) throws -> LaunchSigner {
  LaunchSigner(
    keyID: try required(SigningKeyID("sk_000000000001")), secret: Array(0..<32),
    projectID: try required(ProjectID(id)))
}

/// Issues a launch of the vectors' project.
public func issue(
  delivery: KeyDelivery = .direct, ttl: Int = 300, at now: Timestamp = issueTime,
  _ change: (inout LaunchRequest) -> Void = { _ in }
) throws -> Launch {
  var request = LaunchRequest()
  request.userID = "USER-123"
  request.platform = "IOS"
  change(&request)
  var generator = SecureRandom()
  return try LaunchIssuer(site: makeSite()).issue(
    request,
    with: LaunchCredentials(
      project: makeProject(delivery: delivery, ttl: ttl), webAPIKey: "wk_0123456789abcdef",
      signer: makeSigner()),
    directory: FixedDirectory(), at: now, using: &generator)
}

/// Takes what has to be there for a fixture.
private func required<Value>(_ value: Value?) throws -> Value {
  guard let value else { throw Missing() }
  return value
}

private struct Missing: Error {}
