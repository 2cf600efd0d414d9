import Cryptography
import Differences
import Domain
import Encoding
import JSON
import Testing

@Suite("A launch as the API answers it") struct LaunchEncodingTests {
  @Test(
    "the written-out answer is the one that the launch's own JSON gives",
    arguments: KeyDelivery.allCases)
  func encoding(delivery: KeyDelivery) throws {
    let id = try #require(ProjectID("67b6f2a9688f4a05db0a1d45"))
    let time = Timestamp(seconds: 1_795_953_600)
    let credentials = LaunchCredentials(
      project: Project(
        id: id, name: "Acme", keyDelivery: delivery, createdAt: time, updatedAt: time),
      webAPIKey: #"wk_"0\1"#,
      signer: LaunchSigner(
        keyID: try #require(SigningKeyID("sk_000000000001")), secret: Array(0..<32),
        projectID: id))
    let upstream = Upstream(baseURL: "https://cashback.example/main")
    let site = Site(
      upstreams: ["production": try #require(upstream)],
      pages: [try #require(Page(name: "cs", path: "/cs"))], categories: [],
      deepLinkScheme: "moment")
    var generator = SecureRandom()
    for raw in [nil, "/cs", "/cs?q=\"\\뷰티\u{1F600}&x=</script>"] {
      var request = LaunchRequest()
      request.userID = #"a"b\c"#
      request.platform = "IOS"
      request.redirectTo = raw
      let launch = try LaunchIssuer(site: site).issue(
        request, with: credentials, directory: NoBusinesses(), at: time, using: &generator)
      #expect(firstDifference(launch.encoded(), launch.json.encoded()) == nil)
      let sent = SignedRequest(method: "GET", url: launch.url, headers: launch.headers)
      let verifier = BundleVerifier(site: site)
      for now in [time, time.adding(seconds: 300)] {
        let verdict = try verifier.verify(
          try #require(sent), directory: OneProject(credentials: credentials), at: now)
        #expect(firstDifference(verdict.encoded(), verdict.json.encoded()) == nil)
      }
    }
  }

  private struct OneProject: VerificationDirectory {
    let credentials: LaunchCredentials

    func credentials(
      keyID: SigningKeyID, projectID: ProjectID?, at now: Timestamp
    ) -> BundleCredentials {
      .known(
        VerificationCredentials(
          project: credentials.project, signer: credentials.signer, webAPIKey: nil))
    }
    func isLoggedOut(_ userID: String, of projectID: ProjectID, since launch: Timestamp) -> Bool {
      false
    }
    func isUsed(_ id: LaunchID) -> Bool { false }
  }

  private struct NoBusinesses: BusinessDirectory {
    func standing(ofBusiness id: String) -> BusinessStanding { .unknown(nearest: []) }
  }
}
