internal import HTTPServer
internal import JSON
internal import LaunchDomain
internal import LaunchStore

/// `POST /verify`.
enum Verifying {
  private static let fields = ["method", "url", "headers"]

  static func verify(_ request: Request, _ worker: Worker) throws -> Response {
    let partner = try worker.authenticate(
      request, scopes: [.verify], allowsDisabledProject: true)
    let directory = ScopedDirectory(reader: try worker.reader(), only: partner.key.projectID)
    let verdict = try worker.service.verifier.verify(
      signedRequest(request), directory: directory, at: worker.now)
    return Response.json(verdict.json, caching: .none)
  }

  private static func signedRequest(_ request: Request) throws -> SignedRequest {
    var reader = MemberReader(try request.jsonObject(), known: fields)
    let method = reader.string("method")
    let url = reader.string("url")
    let members = reader.object("headers")
    reader.refuseOthers()
    var faults = reader.faults
    func require(_ name: String, _ isThere: Bool) {
      guard !isThere, !faults.contains(where: { $0.field == name }) else { return }
      faults.append(Fault(name, .missingField, "Add \(name) of the request to verify."))
    }
    require("method", method != nil)
    require("url", url != nil)
    require("headers", members != nil)
    var headers: [(name: String, value: String)] = []
    for member in members ?? [] {
      if let value = member.value.stringValue {
        headers.append((member.name, value))
      } else if !faults.contains(where: { $0.field == "headers" }) {
        faults.append(Fault("headers", .invalidField, "Each header has to be a string."))
      }
    }
    if let method, method.isEmpty || !method.isVisibleASCII {
      faults.append(Fault("method", .invalidField, "method has to be an HTTP method, such as GET."))
    }
    let signed = SignedRequest(method: method ?? "", url: url ?? "", headers: headers)
    if url != nil, signed == nil {
      faults.append(
        Fault("url", .invalidField, "url has to be the absolute https or http URL as requested."))
    }
    guard faults.isEmpty, let signed else {
      let rank: (Fault) -> Int = { fields.firstIndex(of: $0.field) ?? fields.count }
      throw Faults(faults.sorted { rank($0) < rank($1) })
    }
    return signed
  }
}

/// What a verify key sees: all projects, or the one that it is bound to.
private struct ScopedDirectory: VerificationDirectory {
  let reader: any StoreReader
  let only: ProjectID?

  func project(_ id: ProjectID) throws -> Project? {
    if let only, only != id { return nil }
    return try reader.project(id)
  }

  func isVerifying(keyID: SigningKeyID, at now: Timestamp) throws -> Bool {
    try reader.isVerifying(keyID: keyID, at: now)
  }

  func verifier(
    keyID: SigningKeyID, projectID: ProjectID, at now: Timestamp
  ) throws -> LaunchSigner? {
    try reader.verifier(keyID: keyID, projectID: projectID, at: now)
  }
}
