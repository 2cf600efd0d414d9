import API
import Domain
import Foundation
import HTTPServer
import Store
import Testing
import TestSupport

@Suite("Operations") struct OperationsTests {
  @Test("metrics tell of the program, its keys and its process")
  func metrics() throws {
    let api = try TestAPI()
    #expect(api.samples(of: "launchlink_build_info{version=").count == 1)
    #expect(api.samples(of: "launchlink_ready") == ["launchlink_ready 1"])
    let keys = api.samples(of: "launchlink_signing_keys")
    #expect(keys.contains(#"launchlink_signing_keys{state="active"} 1"#))
    #expect(keys.contains(#"launchlink_signing_keys{state="pending"} 0"#))
    for name in [
      "launchlink_database_size_bytes ", "process_resident_memory_bytes ", "process_open_fds ",
    ] {
      #expect(api.samples(of: name).count == 1, "\(name)")
    }
  }

  @Test("metrics tell since when the active signing key signs")
  func signingKeyAge() throws {
    let api = try TestAPI()
    let key = try #require(try api.store.makeReader().knowledge.signingKeys().first)
    let seconds = try #require(key.activatedAt).milliseconds / 1000
    #expect(
      api.samples(of: "launchlink_active_signing_key_activated_timestamp_seconds ")
        == ["launchlink_active_signing_key_activated_timestamp_seconds \(seconds)"])
  }

  @Test("without its database, metrics and readiness say that nothing is launched")
  func notReady() throws {
    let api = try TestAPI()
    let path = api.directory + "/launchlink.db"
    try FileManager.default.moveItem(atPath: path, toPath: path + ".aside")
    #expect(api.samples(of: "launchlink_ready") == ["launchlink_ready 0"])
    #expect(api.askOperations("/readyz").status == 503)
    #expect(api.launch().status == 503)
    #expect(
      api.samples(of: "launchlink_store_errors_total").contains { !$0.hasSuffix(" 0") },
      "the requests are counted")
  }

  @Test("operations take no query", arguments: ["/healthz", "/readyz", "/metrics"])
  func noQuery(path: String) throws {
    let api = try TestAPI()
    #expect(api.askOperations(path).status == 200)
    #expect(api.askOperations(path + "?x=1").status == 400)
  }

  @Test("usage names the latest launch, and none where nothing was launched")
  func latestLaunch() throws {
    let api = try TestAPI()
    #expect(api.service.drainUsage().latestLaunch == nil)
    #expect(api.launch().status == 200)
    #expect(api.service.drainUsage().latestLaunch != nil)
    #expect(api.ask(.get, "/whoami").status == 200)
    #expect(api.service.drainUsage().latestLaunch == nil)
  }

  @Test("the number of expiring keys is counted anew after a minute")
  func expiringKeys() throws {
    let api = try TestAPI()
    let expiring = { api.samples(of: "launchlink_api_keys_expiring ").first }
    #expect(expiring() == "launchlink_api_keys_expiring 0")
    _ = try api.addKey([.catalog], expiresIn: 86_400)
    #expect(expiring() == "launchlink_api_keys_expiring 0")
    api.advance(milliseconds: 61_000)
    #expect(expiring() == "launchlink_api_keys_expiring 1")
  }

  @Test("a rejected request is counted under its code and no route")
  func rejected() throws {
    let api = try TestAPI()
    #expect(api.ask(.get, "/nowhere").status == 404)
    #expect(
      api.samples(of: "launchlink_http_requests_total").contains(
        #"launchlink_http_requests_total{method="GET",route="none",code="404"} 1"#))
  }
}

extension TestAPI {
  /// The samples of `/metrics` that begin with a name, each as it is written.
  func samples(of name: String) -> [String] {
    String(decoding: askOperations("/metrics").response.body, as: UTF8.self)
      .split(separator: "\n").filter { $0.hasPrefix(name) }.map(String.init)
  }
}
