import Cryptography
import Domain
import Testing

/// A cashback web of two upstreams.
func makeSite() throws -> Site {
  Site(
    upstreams: [
      "production": try #require(
        Upstream(baseURL: "https://cashback-ui.moment.fairytech.ai/main")),
      "canary": try #require(
        Upstream(baseURL: "https://canary-cashback-ui.moment.fairytech.ai/main")),
    ],
    pages: [
      try #require(
        Page(name: "main", path: "/cashback", parameters: [.init(.category, isRequired: false)])),
      try #require(
        Page(
          name: "program", path: "/cashback/detail",
          parameters: [.init(.business, isRequired: true)])),
      try #require(Page(name: "transactions", path: "/cashback/transactions")),
      try #require(Page(name: "settings", path: "/settings")),
      try #require(Page(name: "cs", path: "/cs")),
    ],
    categories: [Category(key: "beauty", label: "뷰티"), Category(key: "odd", label: "A&B+50%")],
    deepLinkScheme: "moment")
}

let projectID = "67b6f2a9688f4a05db0a1d45"
let issueTime = Timestamp(seconds: 1_764_460_800)

func makeProject(
  _ id: String = projectID, delivery: KeyDelivery = .direct, ttl: Int = 300,
  createdAt: Timestamp = Timestamp(seconds: 0)
) throws -> Project {
  Project(
    id: try #require(ProjectID(id)), name: "Acme", keyDelivery: delivery, ttl: ttl,
    createdAt: createdAt, updatedAt: createdAt)
}

/// Issues a launch to be pasted.
func issue(
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
      signer: LaunchSigner(
        keyID: try #require(SigningKeyID("sk_000000000001")), secret: Array(0..<32),
        projectID: try #require(ProjectID(projectID)))),
    directory: Office(), at: now, using: &generator)
}
