internal import JSON
internal import Domain
internal import SQLite

extension SQLiteStore {
  func createProject(
    _ draft: ProjectDraft, webAPIKey: String, by actor: Actor
  ) throws -> Project {
    let name = try StoreError.checkingName(draft.name, by: Project.name)
    return try write(by: actor) { transaction in
      guard try ProjectTable.project(transaction.connection, draft.id) == nil else {
        throw StoreError(.alreadyExists, "The project \(draft.id) exists already.")
      }
      // By the clock of launches: those of an earlier project of this id lie before it.
      let floor = try LatestLaunchTable.floor(transaction.connection)
      let now = try LaunchClockTable.advance(
        transaction.connection, time, past: Timestamp(milliseconds: floor.milliseconds + 1)
      ).launchTime
      let project = Project(
        id: draft.id, name: name, keyDelivery: draft.keyDelivery,
        replayPolicy: draft.replayPolicy, ttl: draft.ttl, rateLimit: draft.rateLimit,
        upstream: draft.upstream, createdAt: now, updatedAt: now)
      let sealed = try transaction.seal(
        Array(webAPIKey.utf8), at: ProjectTable.webAPIKeyPlace(project.id))
      try transaction.connection.run(
        """
        INSERT INTO project (project_id, name, web_api_key, key_delivery, replay_policy, ttl,
          rate_limit, upstream, created_at, updated_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        project.id.description, project.name, sealed, project.keyDelivery.rawValue,
        project.replayPolicy.rawValue, project.ttl, project.rateLimit, project.upstream,
        project.createdAt.milliseconds, project.updatedAt.milliseconds)
      try transaction.letActiveKeySign(upTo: project.ttl)
      try transaction.audit("project.create", project.id.description, new: project.json)
      return project
    }
  }

  func updateProject(
    _ id: ProjectID, _ changes: ProjectChanges, by actor: Actor
  ) throws -> Project {
    let name = try changes.name.map {
      try StoreError.checkingName($0, by: Project.name)
    }
    return try write(by: actor) { transaction in
      let old = try transaction.project(id)
      var new = old
      new.name = name ?? old.name
      new.keyDelivery = changes.keyDelivery ?? old.keyDelivery
      new.replayPolicy = changes.replayPolicy ?? old.replayPolicy
      new.ttl = changes.ttl ?? old.ttl
      new.rateLimit = changes.rateLimit ?? old.rateLimit
      new.upstream = changes.upstream ?? old.upstream
      guard new != old || changes.webAPIKey != nil else { return old }
      new.updatedAt = transaction.now
      try transaction.save(new)
      try transaction.letActiveKeySign(upTo: new.ttl)
      var newValue = new.json
      if let key = changes.webAPIKey {
        let place = ProjectTable.webAPIKeyPlace(id)
        try transaction.connection.run(
          "UPDATE project SET web_api_key = ? WHERE project_id = ?",
          transaction.seal(Array(key.utf8), at: place), id.description)
        newValue = .object(
          (newValue.objectValue ?? []) + [JSON.Member(name: "web_api_key", value: "changed")])
      }
      try transaction.audit(
        "project.update", id.description, old: old.json, new: newValue)
      return new
    }
  }

  func setProject(_ id: ProjectID, enabled: Bool, by actor: Actor) throws -> Project {
    try write(by: actor) { transaction in
      let old = try transaction.project(id)
      guard (old.disabledAt == nil) != enabled else { return old }
      var new = old
      new.disabledAt = enabled ? nil : transaction.now
      new.updatedAt = transaction.now
      try transaction.save(new)
      try transaction.audit(
        enabled ? "project.enable" : "project.disable", id.description, old: old.json,
        new: new.json)
      return new
    }
  }

  func deleteProject(_ id: ProjectID, by actor: Actor) throws {
    let moment = try write(by: actor) { transaction in
      let old = try transaction.project(id)
      let living = try APIKeyTable.keys(
        transaction.connection,
        where: "project_id = ? AND revoked_at IS NULL AND coalesce(expires_at > ?, 1)",
        [id.description, transaction.now.milliseconds])
      guard living.isEmpty else {
        throw StoreError(
          .inUse,
          "The project has keys that still work: \(living.map(\.id.description).joined(separator: ", ")). "
            + "Revoke them first: launchlink key revoke KEYID")
      }
      try transaction.connection.run("DELETE FROM project WHERE project_id = ?", id.description)
      try transaction.audit("project.delete", id.description, old: old.json)
      return try LaunchClockTable.advance(
        transaction.connection, time, past: LatestLaunchTable.floor(transaction.connection))
    }
    // One that is made again lies after every launch of this one.
    wait(past: moment)
  }

  func issueLaunch(
    of projectID: ProjectID, by actor: Actor, _ issue: (LaunchCredentials) throws -> LaunchRecord
  ) throws {
    try write(by: actor) { transaction in
      let project = try transaction.project(projectID)
      guard project.disabledAt == nil else {
        throw StoreError(
          .inUse,
          "The project \(projectID) is disabled. Run: launchlink project enable \(projectID)")
      }
      let signer = try SigningKeyTable.activeSigner(
        transaction.connection, transaction.keyRing, projectID: projectID)
      guard let signer else { throw StoreError.noActiveSigningKey }
      _ = try LaunchClockTable.advance(
        transaction.connection, time, past: LatestLaunchTable.floor(transaction.connection))
      let launch = try issue(
        LaunchCredentials(
          project: project,
          webAPIKey: ProjectTable.webAPIKey(
            transaction.connection, transaction.keyRing, of: projectID), signer: signer,
          clock: LogOutTable.clock(transaction.connection, time, of: projectID)))
      try LatestLaunchTable.save(
        Timestamp(milliseconds: launch.id.milliseconds), transaction.connection)
      let key = try DigestKeyTable.userKey(transaction.connection, transaction.keyRing)
      try transaction.audit(
        "launch", projectID.description,
        new: [
          "launch_id": .string(launch.id.description),
          "user_digest": .string(key.digest(of: launch.userID, in: projectID)),
          "platform": .string(launch.platform.rawValue), "page": JSON(launch.page),
          "redirect_to": JSON(launch.redirectTo),
        ])
    }
  }
}

extension StoreError {
  static let noActiveSigningKey = StoreError(
    .unavailable,
    "No signing key is active. Run: launchlink signing-key create, then launchlink signing-key activate KEYID"
  )
}

extension Transaction {
  func project(_ id: ProjectID) throws -> Project {
    guard let project = try ProjectTable.project(connection, id) else {
      throw StoreError(
        .notFound, "There is no project \(id). Run: launchlink project list")
    }
    return project
  }

  fileprivate func save(_ project: Project) throws {
    try connection.run(
      """
      UPDATE project SET name = ?, key_delivery = ?, replay_policy = ?, ttl = ?, rate_limit = ?,
        upstream = ?, disabled_at = ?, updated_at = ? WHERE project_id = ?
      """,
      project.name, project.keyDelivery.rawValue, project.replayPolicy.rawValue, project.ttl,
      project.rateLimit, project.upstream, project.disabledAt?.milliseconds,
      project.updatedAt.milliseconds, project.id.description)
  }
}

/// Rows of `project`.
enum ProjectTable {
  private static let columns =
    "project_id, name, key_delivery, replay_policy, ttl, rate_limit, upstream, disabled_at, "
    + "created_at, updated_at"

  static func webAPIKeyPlace(_ id: ProjectID) -> KeyRing.Place {
    KeyRing.Place(table: "project", row: id.description, column: "web_api_key")
  }

  static func project(_ connection: Connection, _ id: ProjectID) throws -> Project? {
    try connection.first(
      "SELECT \(columns) FROM project WHERE project_id = ?", id.description, make: make)
  }

  static func all(_ connection: Connection) throws -> [Project] {
    try connection.rows("SELECT \(columns) FROM project ORDER BY name, project_id", make: make)
  }

  /// The longest `ttl` of a project, disabled ones too, in seconds; 0 where there is none.
  static func longestTTL(_ connection: Connection) throws -> Int {
    try connection.first("SELECT coalesce(max(ttl), 0) FROM project") { try $0.int(0) } ?? 0
  }

  static func webAPIKey(
    _ connection: Connection, _ keyRing: SharedKeyRing, of id: ProjectID
  ) throws -> String {
    let sealed = try connection.first(
      "SELECT web_api_key FROM project WHERE project_id = ?", id.description
    ) { try $0.blob(0) }
    let key = try keyRing.open(sealed ?? [], at: webAPIKeyPlace(id))
    return String(decoding: key, as: UTF8.self)
  }

  private static func make(_ row: borrowing Row) throws -> Project {
    Project(
      id: try known(ProjectID(row.text(0))), name: try row.text(1),
      keyDelivery: try known(KeyDelivery(rawValue: row.text(2))),
      replayPolicy: try known(ReplayPolicy(rawValue: row.text(3))), ttl: try row.int(4),
      rateLimit: try row.int(5), upstream: try row.text(6), disabledAt: try row.optionalTime(7),
      createdAt: try row.time(8), updatedAt: try row.time(9))
  }
}

/// Takes a value that the schema's checks let through, and calls the database damaged without it.
func known<Value>(_ value: Value?) throws -> Value {
  guard let value else {
    throw StoreError(
      .unusable, "The database holds a value of an unknown kind. Restore it from a backup.")
  }
  return value
}

extension Row {
  func time(_ column: Int) throws -> Timestamp {
    Timestamp(milliseconds: Int64(try int(column)))
  }

  func optionalTime(_ column: Int) throws -> Timestamp? {
    try optionalInt(column).map { Timestamp(milliseconds: Int64($0)) }
  }
}
