internal import Domain
internal import Encoding
internal import HTTPServer
internal import JSON
internal import Observability
internal import Store

/// `POST /launch`, `POST /launch/batch` and `POST /launch/revoke`.
enum Launching {
  /// How many launches one batch may ask for.
  static let batchSizes = 1...100

  private static let batchFields = ["user_id", "platform", "items"]
  private static let itemFields = LaunchRequest.fields.filter { !batchFields.contains($0) }

  static func launch(_ request: Request, _ context: RequestContext) throws -> Response {
    let (partner, project) = try partner(of: request, context)
    return context.counted(request, project) { _ in
      try request.checkJSONBody()
      let wanted =
        try request.withBody { LaunchRequest(plain: $0) }
        ?? LaunchRequest(of: request.parsedObject())
      let launch = try context.issue(wanted, with: context.credentials(of: project), for: partner)
      context.note.userID = wanted.userID
      context.note.launchID = launch.id
      var response = Response(status: 200, body: launch.encoded())
      // Room for the two headers of the rate limit, too.
      response.headers.reserveCapacity(4)
      response.headers.append(("Content-Type", "application/json"))
      response.headers.append(("Cache-Control", "no-store"))
      return response
    }
  }

  static func batch(_ request: Request, _ context: RequestContext) throws -> Response {
    let (partner, project) = try partner(of: request, context)
    return context.counted(request, project, isBatch: true) { charge in
      var reader = MemberReader(try request.jsonObject(), known: batchFields)
      let credentials = try context.credentials(of: project)
      var audience = LaunchRequest()
      audience.userID = reader.string("user_id")
      audience.platform = reader.string("platform")
      let items = readItems(from: &reader, capacity: RateLimiter.capacity(of: project))
      let listFaults = reader.faults.filter { $0.field == "items" }
      reader.refuseOthers()
      audience.faults = reader.faults.filter { $0.field != "items" }
      if let faults = LaunchIssuer.faultsOfAudience(in: audience)?.all {
        throw FieldFaults(
          faults.filter { batchFields.contains($0.field) } + listFaults
            + faults.filter { !batchFields.contains($0.field) })
      }
      guard listFaults.isEmpty else { throw FieldFaults(listFaults) }
      audience.faults = []
      try charge(items.count - 1)
      let answers = try items.enumerated().map { index, item in
        try answer(item, at: "/items/\(index)", audience: audience, id: request.id) {
          try context.issue($0, with: credentials, for: partner)
        }
      }
      context.note.userID = audience.userID
      return Response.json(["items": .array(answers)], caching: .none)
    }
  }

  /// Logs a user out; answers once every later launch, of any server, is newer than the log-out.
  static func revoke(_ request: Request, _ context: RequestContext) throws -> Response {
    // A log-out has to hold when the project is enabled again.
    let (_, project) = try partner(of: request, context, allowsDisabledProject: true)
    return context.counted(request, project) { _ in
      var reader = MemberReader(try request.jsonObject(), known: ["user_id"])
      var wanted = LaunchRequest()
      wanted.userID = reader.string("user_id")
      reader.refuseOthers()
      wanted.faults = reader.faults
      if let faults = LaunchIssuer.faultsOfUser(in: wanted) { throw faults }
      let userID = wanted.userID ?? ""
      context.note.userID = userID
      _ = try context.write { try $0.record(.logOut(userID, of: project.id)) }
      return Response(status: 204, headers: [("Cache-Control", "no-store")])
    }
  }

  /// The partner that may launch, and its project.
  static func partner(
    of request: Request, _ context: RequestContext, allowsDisabledProject: Bool = false
  ) throws -> (partner: Partner, project: Project) {
    let partner = try context.authenticate(
      request, scopes: [.launch], allowsDisabledProject: allowsDisabledProject)
    try partner.checkProject(of: request)
    guard let project = partner.project else {
      throw Problem(.projectMismatch, "This API key belongs to no project and cannot launch.")
    }
    return (partner, project)
  }

  private static func readItems(from reader: inout MemberReader, capacity: Int) -> [JSON] {
    guard let items = reader.array("items") else {
      if !reader.faults.contains(where: { $0.field == "items" }) {
        reader.report(FieldFault("items", .missingField, "Add items: the launches to issue."))
      }
      return []
    }
    if !batchSizes.contains(items.count) {
      reader.report(
        FieldFault(
          "items", .invalidField, "items has to have 1 to \(batchSizes.upperBound) members."))
    } else if items.count > capacity {
      reader.report(
        FieldFault(
          "items", .invalidField,
          "The project's rate limit never allows more than \(capacity) launches at once. Send "
            + "smaller batches."))
    }
    return items
  }

  /// The launch of one item, or its problem.
  private static func answer(
    _ item: JSON, at pointer: String, audience: LaunchRequest, id: String,
    issue: (LaunchRequest) throws -> Launch
  ) throws -> JSON {
    guard let members = item.objectValue else {
      return Problem(noObjectAt: pointer, "An item has to be a JSON object.").json(requestID: id)
    }
    do {
      var reader = MemberReader(members, known: itemFields)
      var wanted = audience
      wanted.readDestination(from: &reader)
      return try issue(wanted).json
    } catch let faults as FieldFaults {
      return Problem(faults, under: pointer).json(requestID: id)
    }
  }
}

extension LaunchRequest {
  /// Reads a launch.
  fileprivate init(of members: [JSON.Member]) {
    self.init()
    var reader = MemberReader(members, known: LaunchRequest.fields)
    userID = reader.string("user_id")
    platform = reader.string("platform")
    readDestination(from: &reader)
  }

  /// Reads what a launch and an item of a batch have in common.
  fileprivate mutating func readDestination(from reader: inout MemberReader) {
    page = reader.string("page")
    category = reader.string("category")
    businessID = reader.string("business_id")
    redirectTo = reader.string("redirect_to")
    ttlSeconds = reader.integer("ttl_seconds")
    reader.refuseOthers()
    faults = reader.faults
  }
}

extension RequestContext {
  /// The credentials of a project's launches.
  ///
  /// Without an active signing key this fails before any field is checked.
  fileprivate func credentials(of project: Project) throws -> LaunchCredentials {
    guard let credentials = try reader().knowledge.launchCredentials(of: project) else {
      throw StoreError(.unavailable, "no signing key is active: launchlink signing-key create")
    }
    note.webAPIKey = credentials.webAPIKey
    return credentials
  }

  fileprivate func issue(
    _ wanted: LaunchRequest, with credentials: LaunchCredentials, for partner: Partner
  ) throws -> Launch {
    let knowledge = try reader().knowledge
    let launch = try settings.issuer.issue(
      wanted, with: credentials, directory: knowledge, at: now, by: knowledge.launchClock(),
      using: &worker.generator)
    meter.count(
      launch: LaunchTally(
        projectID: credentials.project.id, keyID: partner.key.id, page: launch.page,
        platform: launch.platform))
    return launch
  }

  /// Runs work that costs tokens of the project's rate limit, and adds what is left to the answer's headers.
  ///
  /// One token is taken first; `charge` takes the others, all or none. A request that is refused for lack of tokens
  /// costs nothing. A batch that gets no token has to wait for a full bucket, since its size is not known yet.
  fileprivate func counted(
    _ request: Request, _ project: Project, isBatch: Bool = false,
    _ work: (_ charge: (Int) throws -> Void) throws -> Response
  ) -> Response {
    let limiter = service.rateLimiter
    var reading = limiter.take(1, of: project, at: now)
    var response = answer(request) {
      guard reading.isAllowed else {
        meter.count(rateLimited: project.id)
        throw Problem(
          rateLimit: reading, wait: isBatch ? reading.secondsToFull : reading.retryAfter)
      }
      return try work { tokens in
        let rest = limiter.take(tokens, of: project, at: now)
        guard rest.isAllowed else {
          meter.count(rateLimited: project.id)
          limiter.refund(1, to: project)
          reading = limiter.take(0, of: project, at: now)
          throw Problem(rateLimit: reading, wait: rest.retryAfter)
        }
        reading = rest
      }
    }
    reading.addHeaders(to: &response)
    return response
  }
}

extension Problem {
  /// The project's tokens do not suffice; `wait` is the seconds until a new try.
  fileprivate init(rateLimit reading: RateLimiter.Reading, wait: Int) {
    self.init(
      .rateLimited,
      "The project's rate limit is used up: \(reading.remaining) of \(reading.capacity) are left. "
        + "Wait \(wait) s.")
    headers = [("Retry-After", String(wait))]
  }
}
