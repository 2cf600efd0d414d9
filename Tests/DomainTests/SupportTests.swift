import DomainFixtures
import Cryptography
import Testing

@testable import Domain

@Suite("Where browsers come from")
struct PublicURLTests {
  @Test(
    "is written as browsers write an origin",
    arguments: [
      ("https://launch.example", "https://launch.example"),
      ("https://launch.example/", "https://launch.example"),
      ("HTTPS://Launch.Example:443", "https://launch.example"),
      ("https://launch.example:8443", "https://launch.example:8443"),
      ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
      ("http://127.9.8.7:80", "http://127.9.8.7"), ("http://localhost:1", "http://localhost:1"),
      ("http://[::1]:8080", "http://[::1]:8080"),
      ("https://[2001:db8::1]", "https://[2001:db8::1]"),
    ])
  func origins(text: String, origin: String) throws {
    let url = try #require(PublicURL(text))
    #expect(url.origin == origin)
    #expect(url.isSecure == origin.hasPrefix("https:"))
  }

  @Test(
    "is nothing but an address that keeps a session's cookie safe",
    arguments: [
      "", "launch.example", "https://", "https://launch.example/support", "https://launch.example?",
      "https://launch.example#", "https://user@launch.example", "https://launch.example:0",
      "https://launch.example:65536", "https://launch.example:", "https://launch.example:x",
      "https://런치.example", "https://a b", "https://[::1", "ftp://launch.example",
      "http://launch.example", "http://10.0.0.1:8080", "http://0.0.0.0:8080", "http://[::]:8080",
      "http://127.0.0.1.evil.example", "http://127.0.0.1.1", "http://localhost.evil.example",
      "http://128.0.0.1", "http://127.0.0", "http://127.0.0.256",
    ])
  func refused(text: String) {
    #expect(PublicURL(text) == nil)
  }
}

@Suite("Launch links")
struct LaunchLinkTests {
  private func site(_ upstreams: [String]) throws -> Site {
    Site(
      upstreams: Dictionary(
        uniqueKeysWithValues: try upstreams.map {
          ($0, try #require(Upstream(baseURL: "https://\($0).example/main")))
        }),
      pages: [
        try #require(Page(name: "cs", path: "/cs")),
        try #require(
          Page(
            name: "program", path: "/cashback/detail",
            parameters: [.init(.business, isRequired: true)])),
        try #require(
          Page(
            name: "offer", path: "/offer",
            parameters: [.init(.category, isRequired: true), .init(.business, isRequired: true)])),
      ], categories: [], deepLinkScheme: "moment")
  }

  @Test("lead to the pages that a business alone opens, at production first")
  func links() throws {
    let links = try site(["alpha", "production", "canary"]).launchLinks(ofBusiness: "11st")
    #expect(links.map(\.upstream) == ["production", "alpha", "canary"])
    #expect(Set(links.map(\.page)) == ["program"])
    #expect(links.first?.redirectTo == "/cashback/detail?business_id=11st")
    #expect(
      links.first?.url
        == "https://production.example/main?redirect_to=%2Fcashback%2Fdetail%3Fbusiness_id%3D11st")
    #expect(try site(["alpha"]).launchLinks(ofBusiness: "11st").count == 1)
  }

  @Test("are those of a launch, to the letter")
  func sameAsIssued() throws {
    struct Everything: BusinessDirectory {
      func standing(ofBusiness id: String) -> BusinessStanding { .active }
    }
    let site = try site(["production"])
    let project = Project(
      id: try #require(ProjectID("67b6f2a9688f4a05db0a1d45")), name: "Acme", keyDelivery: .gateway,
      replayPolicy: .allow, ttl: 300, rateLimit: 1, upstream: "production", disabledAt: nil,
      createdAt: Timestamp(seconds: 0), updatedAt: Timestamp(seconds: 0))
    var generator = SecureRandom()
    var request = LaunchRequest()
    (request.userID, request.platform) = ("u", "IOS")
    (request.page, request.businessID) = ("program", "a-b_c9")
    let launch = try LaunchIssuer(site: site).issue(
      request,
      with: LaunchCredentials(
        project: project, webAPIKey: "k",
        signer: LaunchSigner(
          keyID: SigningKeyID(using: &generator), secret: [UInt8](repeating: 1, count: 32),
          projectID: project.id)),
      directory: Everything(), at: Timestamp(seconds: 1_795_953_600), using: &generator)
    let link = try #require(site.launchLinks(ofBusiness: "a-b_c9").first)
    #expect(link.url == launch.url && link.redirectTo == launch.redirectTo)
  }
}

@Suite("Support sessions")
struct SupportSessionTests {
  private let now = Timestamp(seconds: 1000)

  private func session(
    _ scopes: Set<Scope> = [.support], keyExpiresAt: Timestamp? = nil, revokedAt: Timestamp? = nil,
    expiresAt: Timestamp
  ) throws -> SupportSession {
    let id = try #require(KeyID("key_0123456789ab"))
    return SupportSession(
      key: APIKey(
        id: id, name: "", scopes: scopes, projectID: nil, createdAt: Timestamp(seconds: 0),
        expiresAt: keyExpiresAt, revokedAt: revokedAt), expiresAt: expiresAt)
  }

  @Test("end with their time and with their key")
  func validity() throws {
    let later = now.adding(seconds: 1)
    #expect(try session(expiresAt: later).isValid(at: now))
    #expect(try session(keyExpiresAt: later, expiresAt: later).isValid(at: now))
    #expect(try !session(expiresAt: now).isValid(at: now))
    #expect(try !session(keyExpiresAt: now, expiresAt: later).isValid(at: now))
    #expect(try !session(revokedAt: now, expiresAt: later).isValid(at: now))
    #expect(try !session([.launch, .catalog], expiresAt: later).isValid(at: now))
  }

  @Test("have ids of 256 bits that print as nothing")
  func tokens() throws {
    var generator = SecureRandom()
    let (one, other) = (SessionToken(using: &generator), SessionToken(using: &generator))
    #expect(one.secret.utf8.count == 64 && one.secret != other.secret)
    #expect("\(one)" == "session")
    #expect(one.digest == SHA256.hash(Array(one.secret.utf8)).bytes)
    #expect(SessionToken(one.secret)?.digest == one.digest)
    for text in [
      "", String(one.secret.dropLast()), one.secret + "0", one.secret.uppercased() + "A",
    ] {
      #expect(SessionToken(text) == nil)
    }
  }
}
