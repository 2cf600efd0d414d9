import Cryptography
import Domain
import Foundation
import JSON
import Testing

/// The files of `vectors/`: inputs and right values computed by independent code.
enum Vectors {
  static func load(_ name: String) throws -> JSON {
    let url = try #require(
      Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "vectors"))
    return try JSON.parse(Array(Data(contentsOf: url)))
  }
}

extension JSON {
  func text(_ name: String) throws -> String { try #require(self[name]?.stringValue) }
  func list(_ name: String) throws -> [JSON] { try #require(self[name]?.arrayValue) }
}

/// The cashback web of the vectors.
func makeSite() throws -> Site {
  Site(
    upstreams: [
      "production": try #require(
        Upstream(baseURL: "https://cashback-ui.moment.fairytech.ai/main"))
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

/// A catalogue of three.
struct FixedDirectory: BusinessDirectory {
  func standing(ofBusiness id: String) -> BusinessStanding {
    switch id {
    case "11st", "coupang": .active
    case "closedmall": .inactive
    default: .unknown(nearest: nearest(to: id, in: ["11st", "coupang", "closedmall"]))
    }
  }
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

func makeSigner(_ id: String = projectID) throws -> LaunchSigner {
  LaunchSigner(
    keyID: try #require(SigningKeyID("sk_000000000001")), secret: Array(0..<32),
    projectID: try #require(ProjectID(id)))
}

/// Issues a launch of the vectors' project.
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
      signer: makeSigner()),
    directory: FixedDirectory(), at: now, using: &generator)
}

/// The faults that issuing reports, as `field code`.
func faults(_ change: (inout LaunchRequest) -> Void) throws -> [String] {
  do {
    _ = try issue(change)
    return []
  } catch let faults as FieldFaults {
    return faults.all.map { "\($0.field) \($0.code.rawValue)" }
  }
}
