import API
import Domain
import Foundation
import HTTPServer
import JSON
import SQLiteStore
import Store
import SupportPages
import Synchronization

/// The HTTP interface over a store of its own, without a socket; a second passes with every request.
final class TestAPI {
  let launchKey: String
  let otherKeys: [String]
  private let handler: any Handler
  private let time: Time

  private final class Time: Sendable {
    let seconds = Atomic<Int64>(1_764_460_800)
  }

  init() throws {
    let directory = FileManager.default.temporaryDirectory.path + "/fuzz-\(UUID().uuidString)"
    let time = Time()
    self.time = time
    let clock: Clock = { Timestamp(seconds: time.seconds.load(ordering: .relaxed)) }
    let actor = Actor(osUser: "fuzz")
    _ = try SQLiteStore.initialize(
      directory: directory, keyRing: nil, masterKeyFile: directory + "/master.key", clock: clock,
      by: actor)
    let store = try SQLiteStore.open(
      directory: directory,
      keyRing: KeyRing.read(directory + "/master.key", credentialsDirectory: nil), clock: clock)
    let service = LaunchService(store: store, site: Fixtures.site, clock: clock) { line in
      fatalError("reported to the operator: \(line)")
    }
    service.publicURL = PublicURL("http://localhost:8080")
    handler = service.makeHandler(
      LaunchService.router(adding: SupportPages.routes, rejectPage: SupportPages.reject))
    _ = try store.createProject(
      ProjectDraft(
        id: Fixtures.projectID, name: "Acme", keyDelivery: .gateway,
        rateLimit: Project.rateLimits.upperBound),
      webAPIKey: Fixtures.webAPIKey, by: actor)
    let business = Business(
      id: "11st", name: "11번가", category: "beauty",
      products: [
        Product(
          commissionType: .perSale,
          commission: need(Commission(amount: "2.5", unit: .percentage), "a commission"))
      ], updatedAt: Fixtures.now)
    _ = try store.createBusiness(business, by: actor)
    launchKey = try store.createAPIKey(
      APIKeyDraft(name: "", scopes: [.launch], projectID: Fixtures.projectID), by: actor
    ).secret.secret
    otherKeys = try [Scope.catalog, .verify, .support].map { scope in
      try store.createAPIKey(APIKeyDraft(name: "", scopes: [scope], projectID: nil), by: actor)
        .secret.secret
    }
  }

  var verifyKey: String { otherKeys[1] }

  /// Answers a request; a fault of the server's own ends the run.
  func ask(
    _ method: HTTPServer.Method, _ target: String, key: String?,
    headers: [(name: String, value: String)] = [], body: [UInt8] = []
  ) -> Response {
    time.seconds.add(1, ordering: .relaxed)
    let own = key.map { [(name: "Authorization", value: "Bearer \($0)")] } ?? []
    let request = Request(method, target, headers: own + headers, body: body)
    let response = handler.answer(request)
    require((200..<500).contains(response.status), "\(response.status) for \(target)")
    for (name, value) in response.headers {
      require(
        value.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "the header \(name) is \(value)")
    }
    return response
  }

  /// The JSON body of an answer that has one.
  func json(_ response: Response) throws -> JSON { try JSON.parse(response.body) }
}
