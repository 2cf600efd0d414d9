import Foundation
import SQLiteStore
import HTTPServer
import JSON
import API
import Domain
import Store
import Synchronization
import Testing

/// The HTTP interface over a store of its own, without a socket and with a clock that can be set.
final class TestAPI {
  let directory: String
  let store: Store
  let worker: Worker
  let service: LaunchService
  let project: Project
  let key: IssuedAPIKey
  let actor = Actor(osUser: "admin")
  private let time: Time
  private let reported: Reports
  private let router: Router<Worker>
  private let operations: Router<Worker>

  private final class Time: Sendable {
    let now = Mutex(Timestamp(seconds: 1_795_953_600))
  }

  private final class Reports: Sendable {
    let lines = Mutex<[String]>([])
  }

  init(rateLimit: Int = 500, upstream: String = "production") throws {
    directory = FileManager.default.temporaryDirectory.path + "/api-\(UUID().uuidString)"
    let (time, reported) = (Time(), Reports())
    let clock: Clock = { time.now.withLock { $0 } }
    (self.time, self.reported) = (time, reported)
    _ = try SQLiteStore.initialize(
      directory: directory, keyRing: nil, masterKeyFile: directory + "/master.key", clock: clock,
      by: actor)
    store = try SQLiteStore.open(
      directory: directory,
      keyRing: KeyRing.read(directory + "/master.key", credentialsDirectory: nil), clock: clock)
    service = LaunchService(store: store, site: try Self.makeSite(), clock: clock) { line in
      reported.lines.withLock { $0.append(line) }
    }
    worker = service.makeWorker()
    router = try LaunchService.router()
    operations = try LaunchService.operationsRouter()
    project = try store.createProject(
      ProjectDraft(
        id: #require(ProjectID("67b6f2a9688f4a05db0a1d45")), name: "Acme", keyDelivery: .gateway,
        rateLimit: rateLimit, upstream: upstream), webAPIKey: "wk_real", by: actor)
    key = try store.createAPIKey(
      APIKeyDraft(name: "backend", scopes: [.launch], projectID: project.id), by: actor)
  }

  deinit {
    // Nothing depends on the directory's going.
    try? FileManager.default.removeItem(atPath: directory)
  }

  private static func makeSite() throws -> Site {
    Site(
      upstreams: [
        "production": try #require(
          Upstream(baseURL: "https://cashback-ui.moment.fairytech.ai/main"))
      ],
      pages: [
        try #require(
          Page(
            name: "program", path: "/cashback/detail",
            parameters: [.init(.business, isRequired: true)])),
        try #require(Page(name: "cs", path: "/cs")),
      ], categories: [Category(key: "mall", label: "몰")], deepLinkScheme: "moment")
  }

  var reports: [String] { reported.lines.withLock { $0 } }

  func advance(milliseconds: Int64) {
    time.now.withLock { $0 = Timestamp(milliseconds: $0.milliseconds + milliseconds) }
  }

  func addKey(_ scopes: Set<Scope>, of project: ProjectID? = nil, expiresIn: Int? = nil) throws
    -> String
  {
    try store.createAPIKey(
      APIKeyDraft(name: "", scopes: scopes, projectID: project, expiresIn: expiresIn), by: actor
    ).secret.secret
  }

  /// Asks the API's router; a body goes as JSON, and the launch key is used unless another is given.
  func ask(
    _ method: Method, _ target: String, key: String? = nil, headers: [(String, String)] = [],
    body: String? = nil
  ) -> Answer {
    var all = headers.map { (name: $0.0, value: $0.1) }
    if !headers.contains(where: { $0.0 == "Authorization" }) {
      all.append(("Authorization", "Bearer \(key ?? self.key.secret.secret)"))
    }
    if body != nil, !headers.contains(where: { $0.0 == "Content-Type" }) {
      all.append(("Content-Type", "application/json"))
    }
    let request = Request(method, target, headers: all, body: Array((body ?? "").utf8))
    return Answer(router.respond(to: request, context: worker))
  }

  func askOperations(_ target: String) -> Answer {
    Answer(operations.respond(to: Request(.get, target), context: worker))
  }

  func launch(_ body: String = #"{"user_id":"u","platform":"IOS"}"#) -> Answer {
    ask(.post, "/launch", body: body)
  }
}

/// An answer and the JSON in it.
struct Answer {
  let response: Response
  let json: JSON

  init(_ response: Response) {
    self.response = response
    // A body that is no JSON has no members, which every test of members finds out.
    json = (try? JSON.parse(response.body)) ?? .null
  }

  var status: Int { response.status }
  var code: String? { json["code"]?.stringValue }
  /// The entries of `errors` as `pointer code`.
  var errors: [String] {
    (json["errors"]?.arrayValue ?? []).map {
      "\($0["pointer"]?.stringValue ?? "?") \($0["code"]?.stringValue ?? "?")"
    }
  }
}

extension Store {
  /// What issuing a launch by hand is given.
  func launchCredentials(of project: ProjectID, by actor: Actor) throws -> LaunchCredentials {
    let id = try #require(LaunchID("01a2272d-267b-7abc-8def-0123456789ab"))
    var given: LaunchCredentials?
    try issueLaunch(of: project, by: actor) { credentials in
      given = credentials
      return LaunchRecord(id, of: "kim", on: .ios, page: nil, redirectTo: nil)
    }
    return try #require(given)
  }
}
