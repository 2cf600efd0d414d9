import Domain
import DomainFixtures
import Encoding
import Explain
import JSON
import Testing

/// A directory of projects and keys that tests can set.
struct Office: ExplanationDirectory {
  static let webAPIKey = "wk_0123456789abcdef"

  var projects: [Project]
  var keys: [SigningKey]
  var apiKeys: [APIKey] = []
  var loggedOutAt: Timestamp?
  var isUsedUp = false
  /// Web API Keys that are not `webAPIKey`.
  var otherKeys: [ProjectID: String] = [:]

  init(delivery: KeyDelivery = .gateway) throws {
    projects = [try makeProject(delivery: delivery)]
    keys = [try Self.key(.active)]
  }

  static func key(
    _ state: SigningKey.State, _ id: String = "sk_000000000001", at time: Timestamp? = nil
  ) throws -> SigningKey {
    SigningKey(
      id: try #require(SigningKeyID(id)), state: state, createdAt: Timestamp(seconds: 0),
      activatedAt: state == .pending ? nil : Timestamp(seconds: 0),
      retiredAt: state == .retired ? time : nil, revokedAt: state == .revoked ? time : nil)
  }

  func standing(ofBusiness id: String) -> BusinessStanding {
    FixedDirectory().standing(ofBusiness: id)
  }
  func project(_ id: ProjectID) -> Project? { projects.first { $0.id == id } }
  func isLoggedOut(_ userID: String, of projectID: ProjectID, since launch: Timestamp) -> Bool {
    loggedOutAt.map { launch <= $0 } ?? false
  }
  func isUsed(_ id: LaunchID) -> Bool { isUsedUp }
  func signingKey(_ id: SigningKeyID) -> SigningKey? { keys.first { $0.id == id } }
  func apiKey(_ id: KeyID) -> APIKey? { apiKeys.first { $0.id == id } }
  func webAPIKey(of projectID: ProjectID) -> String? {
    project(projectID) == nil ? nil : otherKeys[projectID] ?? Self.webAPIKey
  }
  func forEachWebAPIKey(_ body: (ProjectID, String) throws -> Void) rethrows {
    for project in projects { try body(project.id, webAPIKey(of: project.id) ?? "") }
  }
  func credentials(
    keyID: SigningKeyID, projectID: ProjectID?, at now: Timestamp
  ) -> BundleCredentials {
    guard signingKey(keyID)?.verifies(at: now) ?? false else { return .unknownKey }
    guard let project = projectID.flatMap(project) else { return .unknownProject }
    return .known(
      VerificationCredentials(
        project: project,
        signer: LaunchSigner(keyID: keyID, secret: Array(0..<32), projectID: project.id),
        webAPIKey: webAPIKey(of: project.id)))
  }
}

func explain(
  _ text: String, _ office: Office? = nil, at now: Timestamp = issueTime
) throws -> Explanation {
  try Explainer(site: makeSite()).explain(
    text, directory: office ?? Office(), at: now)
}

extension Explanation {
  var problems: [Finding.Code] { findings.filter { $0.severity == .problem }.map(\.code) }

  func finding(_ code: Finding.Code) throws -> Finding {
    try #require(findings.first { $0.code == code }, "\(findings.map(\.code))")
  }

  /// Everything that anybody could get to see of it.
  var everything: String {
    let texts = Language.allCases.flatMap { language in
      findings.flatMap { [$0.text(in: language), $0.advice(in: language) ?? ""] }
    }
    return texts.joined(separator: "\n") + String(decoding: json.encoded(), as: UTF8.self)
      + String(reflecting: self)
  }
}

/// A launch as it is pasted, to be broken first.
struct Pasted {
  var method = "GET"
  var url: String
  var headers: [(name: String, value: String)]

  init(_ launch: Launch) {
    url = launch.url
    headers = launch.headers
  }

  /// A launch of the program page of 11st.
  static func program(_ delivery: KeyDelivery = .gateway) throws -> Pasted {
    Pasted(try issue(delivery: delivery) { $0.redirectTo = "/cashback/detail?business_id=11st" })
  }

  static func to(_ redirect: String?, _ delivery: KeyDelivery = .gateway) throws -> Pasted {
    Pasted(try issue(delivery: delivery) { $0.redirectTo = redirect })
  }

  func with(_ name: String, _ edit: (String) -> String) -> Pasted {
    var copy = self
    for index in copy.headers.indices where copy.headers[index].name == name {
      copy.headers[index].value = edit(copy.headers[index].value)
    }
    return copy
  }

  func withURL(_ edit: (String) -> String) -> Pasted {
    var copy = self
    copy.url = edit(url)
    return copy
  }

  func without(_ name: String) -> Pasted {
    var copy = self
    copy.headers.removeAll { $0.name == name }
    return copy
  }

  func value(_ name: String) -> String { headers.first { $0.name == name }?.value ?? "" }

  /// The body of `POST /verify`.
  var json: String {
    let members = headers.map { JSON.Member(name: $0.name, value: .string($0.value)) }
    let body: JSON = [
      "method": .string(method), "url": .string(url), "headers": .object(members),
    ]
    return String(decoding: body.encoded(), as: UTF8.self)
  }

  var lines: String {
    url + "\n" + headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
  }

  var curl: String {
    (["curl '\(url)'"] + headers.map { "-H '\($0.name): \($0.value)'" }).joined(
      separator: " \\\n  ")
  }
}
