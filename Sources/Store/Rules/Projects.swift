public import Domain
internal import JSON

extension Store {
  /// Adds a project, enabled.
  ///
  /// - Throws: `StoreError` of kind `alreadyExists`.
  public func createProject(
    _ draft: ProjectDraft, webAPIKey: String, by actor: Actor
  ) throws -> Project {
    let name = try StoreError.checkingName(draft.name, by: Project.name)
    return try change(by: actor) { change in
      guard try change.rows.project(draft.id) == nil else {
        throw StoreError(.alreadyExists, "The project \(draft.id) exists already.")
      }
      // By the clock of launches, so that every launch of an earlier project of this id lies before it.
      let floor = try change.rows.launchFloor()
      let now = try LaunchTime.advance(
        change.rows, time, past: Timestamp(milliseconds: floor.milliseconds + 1)
      ).launchTime
      let project = Project(
        id: draft.id, name: name, keyDelivery: draft.keyDelivery,
        replayPolicy: draft.replayPolicy, ttl: draft.ttl, rateLimit: draft.rateLimit,
        upstream: draft.upstream, createdAt: now, updatedAt: now)
      let sealed = try change.seal(Array(webAPIKey.utf8), at: .webAPIKey(of: project.id))
      try change.rows.insert(project, sealedWebAPIKey: sealed)
      try change.rows.raiseLongestTTL(to: project.ttl)
      try change.audit("project.create", project.id.description, new: project.json)
      return project
    }
  }

  /// Changes a project.
  ///
  /// - Throws: `StoreError` of kind `notFound`.
  public func updateProject(
    _ id: ProjectID, _ changes: ProjectChanges, by actor: Actor
  ) throws -> Project {
    let name = try changes.name.map {
      try StoreError.checkingName($0, by: Project.name)
    }
    return try change(by: actor) { change in
      let old = try change.project(id)
      var new = old
      new.name = name ?? old.name
      new.keyDelivery = changes.keyDelivery ?? old.keyDelivery
      new.replayPolicy = changes.replayPolicy ?? old.replayPolicy
      new.ttl = changes.ttl ?? old.ttl
      new.rateLimit = changes.rateLimit ?? old.rateLimit
      new.upstream = changes.upstream ?? old.upstream
      guard new != old || changes.webAPIKey != nil else { return old }
      new.updatedAt = change.now
      try change.rows.save(new)
      try change.rows.raiseLongestTTL(to: new.ttl)
      var newValue = new.json
      if let key = changes.webAPIKey {
        try change.rows.save(
          sealedWebAPIKey: change.seal(Array(key.utf8), at: .webAPIKey(of: id)), of: id)
        newValue = .object(
          (newValue.objectValue ?? []) + [JSON.Member(name: "web_api_key", value: "changed")])
      }
      try change.audit("project.update", id.description, old: old.json, new: newValue)
      return new
    }
  }

  /// Disables or enables a project; doing it again changes nothing.
  public func setProject(_ id: ProjectID, enabled: Bool, by actor: Actor) throws -> Project {
    try change(by: actor) { change in
      let old = try change.project(id)
      guard (old.disabledAt == nil) != enabled else { return old }
      var new = old
      new.disabledAt = enabled ? nil : change.now
      new.updatedAt = change.now
      try change.rows.save(new)
      try change.audit(
        enabled ? "project.enable" : "project.disable", id.description, old: old.json,
        new: new.json)
      return new
    }
  }

  /// Removes a project with its dead keys; its bundles are refused from now on.
  ///
  /// - Throws: `StoreError` of kind `inUse` while it has a key that still works.
  public func deleteProject(_ id: ProjectID, by actor: Actor) throws {
    let moment = try change(by: actor) { change in
      let old = try change.project(id)
      let living = try change.rows.apiKeys(of: id).filter { $0.works(at: change.now) }
      guard living.isEmpty else {
        throw StoreError(
          .inUse,
          "The project has keys that still work: \(living.map(\.id.description).joined(separator: ", ")). "
            + "Revoke them first: launchlink key revoke KEYID")
      }
      try change.rows.remove(id)
      try change.audit("project.delete", id.description, old: old.json)
      return try LaunchTime.advance(change.rows, time, past: change.rows.launchFloor())
    }
    // A project of this id that is made later begins after every launch of this one.
    moment.wait(time)
  }
}

extension Change {
  /// A project, or an error where there is none.
  func project(_ id: ProjectID) throws -> Project {
    guard let project = try rows.project(id) else {
      throw StoreError(
        .notFound, "There is no project \(id). Run: launchlink project list")
    }
    return project
  }
}
