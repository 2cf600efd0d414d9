import Domain
import HTTPServer
import Store
import Testing
import TestSupport

@Suite("Operations") struct OperationsTests {
  /// The samples of `/metrics`, each as it is written.
  private func samples(_ api: TestAPI) -> [String] {
    String(decoding: api.askOperations("/metrics").response.body, as: UTF8.self)
      .split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
  }

  @Test("metrics tell of the program, its keys and its process")
  func metrics() throws {
    let api = try TestAPI()
    let found = samples(api)
    #expect(found.contains { $0.hasPrefix("launchlink_build_info{version=") })
    #expect(found.contains("launchlink_ready 1"))
    #expect(found.contains(#"launchlink_signing_keys{state="active"} 1"#))
    #expect(found.contains(#"launchlink_signing_keys{state="pending"} 0"#))
    #expect(found.contains { $0.hasPrefix("launchlink_database_size_bytes ") })
    #expect(found.contains { $0.hasPrefix("process_resident_memory_bytes ") })
    #expect(found.contains { $0.hasPrefix("process_open_fds ") })
  }

  @Test("the number of expiring keys is counted anew after a minute")
  func expiringKeys() throws {
    let api = try TestAPI()
    let expiring = { samples(api).first { $0.hasPrefix("launchlink_api_keys_expiring ") } }
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
      samples(api).contains(
        #"launchlink_http_requests_total{method="GET",route="none",code="404"} 1"#))
  }
}
