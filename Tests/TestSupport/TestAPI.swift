public import API
public import Domain
import Foundation
public import HTTPServer
public import JSON
import Platform
import SQLiteStore
public import Store
import SupportPages

/// The HTTP interface over a store of its own, without a socket and with a clock that can be set.
public final class TestAPI {
  /// The data directory.
  public let directory: String
  /// The store.
  public let store: Store
  /// The interface.
  public let service: LaunchService
  /// A project, whose id is `67b6f2a9688f4a05db0a1d45`.
  public let project: Project
  /// The project's launch key.
  public let key: IssuedAPIKey
  /// Who makes changes.
  public let actor = Actor(osUser: "admin")
  private let time: Locked<Timestamp>
  private let reported: Locked<[String]>
  private var handler: any Handler
  private let operations: any Handler

  /// Makes the store with a project and its launch key.
  public init(rateLimit: Int = 500, upstream: String = "production") throws {
    directory = FileManager.default.temporaryDirectory.path + "/api-\(UUID().uuidString)"
    let (time, reported) = (Locked(Timestamp(seconds: 1_795_953_600)), Locked<[String]>([]))
    let clock: Clock = { time.withLock { $0 } }
    (self.time, self.reported) = (time, reported)
    _ = try SQLiteStore.initialize(
      directory: directory, keyRing: nil, masterKeyFile: directory + "/master.key", clock: clock,
      by: actor)
    store = try SQLiteStore.open(
      directory: directory,
      keyRing: KeyRing.read(directory + "/master.key", credentialsDirectory: nil), clock: clock)
    service = LaunchService(store: store, site: try Self.makeSite(), clock: clock) { line in
      reported.withLock { $0.append(line) }
    }
    handler = Self.makeHandler(service)
    operations = service.makeOperationsHandler()
    project = try store.createProject(
      ProjectDraft(
        id: need(ProjectID("67b6f2a9688f4a05db0a1d45")), name: "Acme", keyDelivery: .gateway,
        rateLimit: rateLimit, upstream: upstream), webAPIKey: "wk_real", by: actor)
    key = try store.createAPIKey(
      APIKeyDraft(name: "backend", scopes: [.launch], projectID: project.id), by: actor)
  }

  private static func makeHandler(_ service: LaunchService) -> any Handler {
    service.makeHandler(
      LaunchService.router(adding: SupportPages.routes, rejectPage: SupportPages.reject))
  }

  /// Answers what comes from now on as another worker thread would.
  public func changeWorker() { handler = Self.makeHandler(service) }

  deinit {
    // Nothing depends on the directory's going.
    try? FileManager.default.removeItem(atPath: directory)
  }

  private static func makeSite() throws -> Site {
    Site(
      upstreams: [
        "production": try need(
          Upstream(baseURL: "https://cashback-ui.moment.fairytech.ai/main"))
      ],
      pages: [
        try need(
          Page(
            name: "program", path: "/cashback/detail",
            parameters: [.init(.business, isRequired: true)])),
        try need(Page(name: "cs", path: "/cs")),
      ], categories: [Category(key: "mall", label: "몰")], deepLinkScheme: "moment")
  }

  /// The lines that the operator was told.
  public var reports: [String] { reported.withLock { $0 } }

  /// Lets time pass.
  public func advance(milliseconds: Int64) {
    time.withLock { $0 = Timestamp(milliseconds: $0.milliseconds + milliseconds) }
  }

  /// Makes a key of some scopes, and gives its secret.
  public func addKey(_ scopes: Set<Scope>, of project: ProjectID? = nil, expiresIn: Int? = nil)
    throws
    -> String
  {
    try store.createAPIKey(
      APIKeyDraft(name: "", scopes: scopes, projectID: project, expiresIn: expiresIn), by: actor
    ).secret.secret
  }

  /// Asks the API's router; a body goes as JSON, and the launch key is used unless another is given.
  public func ask(
    _ method: Method, _ target: String, key: String? = nil, headers: [(String, String)] = [],
    body: String? = nil
  ) -> Answer {
    Answer(handler.answer(request(method, target, key: key, headers: headers, body: body)))
  }

  /// Whether the API's router leaves the answer for later; what was asked for is done all the same.
  public func promises(
    _ method: Method, _ target: String, key: String? = nil, headers: [(String, String)] = [],
    body: String? = nil
  ) -> Bool {
    let request = request(method, target, key: key, headers: headers, body: body)
    _ = handler.prepare(request)
    if case .later = handler.respond(to: request) { return true }
    return false
  }

  private func request(
    _ method: Method, _ target: String, key: String?, headers: [(String, String)], body: String?
  ) -> Request {
    var all = headers.map { (name: $0.0, value: $0.1) }
    if !headers.contains(where: { $0.0 == "Authorization" }) {
      all.append(("Authorization", "Bearer \(key ?? self.key.secret.secret)"))
    }
    if body != nil, !headers.contains(where: { $0.0 == "Content-Type" }) {
      all.append(("Content-Type", "application/json"))
    }
    return Request(method, target, headers: all, body: Array((body ?? "").utf8))
  }

  /// Asks the operations listener's router.
  public func askOperations(_ target: String) -> Answer {
    Answer(operations.answer(Request(.get, target)))
  }

  /// Asks for a launch.
  public func launch(_ body: String = #"{"user_id":"u","platform":"IOS"}"#) -> Answer {
    ask(.post, "/launch", body: body)
  }
}

/// An answer and the JSON in it.
public struct Answer {
  /// The answer.
  public let response: Response
  /// The JSON in its body; null where there is none.
  public let json: JSON

  /// Reads an answer.
  public init(_ response: Response) {
    self.response = response
    // A body that is no JSON has no members, which every test of members finds out.
    json = (try? JSON.parse(response.body)) ?? .null
  }

  /// The status code.
  public var status: Int { response.status }
  /// The problem's code.
  public var code: String? { json["code"]?.stringValue }
  /// The entries of `errors` as `pointer code`.
  public var errors: [String] {
    (json["errors"]?.arrayValue ?? []).map {
      "\($0["pointer"]?.stringValue ?? "?") \($0["code"]?.stringValue ?? "?")"
    }
  }
}

/// Takes what has to be there in a test's own preparations.
private func need<Value>(_ value: Value?) throws -> Value {
  guard let value else { throw Missing() }
  return value
}

private struct Missing: Error {}
