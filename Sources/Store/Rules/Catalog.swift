public import Domain
internal import JSON

extension Store {
  /// Adds a business.
  ///
  /// - Returns: the business with the time of the change.
  /// - Throws: `StoreError` of kind `alreadyExists`.
  public func createBusiness(_ business: Business, by actor: Actor) throws -> Business {
    if let objection = business.objectionToNames() { throw StoreError(.invalid, objection) }
    return try change(by: actor) { change in
      guard try change.rows.business(business.id) == nil else {
        throw StoreError(
          .alreadyExists,
          "There is a business \(business.id) already. Change it: launchlink catalog update \(business.id)"
        )
      }
      let new = try change.save(business)
      try change.audit("catalog.add", new.id, new: new.json)
      return new
    }
  }

  /// Changes a business; a change that changes nothing leaves no trace.
  ///
  /// - Parameters:
  ///   - id: the business.
  ///   - actor: who changes it.
  ///   - edit: changes the business.
  /// - Returns: the business as it is now.
  /// - Throws: `StoreError` of kind `notFound`, which names the nearest id; what `edit` throws, and
  ///   then nothing changes.
  public func updateBusiness(
    _ id: String, by actor: Actor, _ edit: (inout Business) throws -> Void
  ) throws -> Business {
    try updateBusiness(id, action: "catalog.update", by: actor, edit)
  }

  /// Activates or deactivates a business; doing it again changes nothing.
  ///
  /// - Throws: `StoreError` of kind `notFound`, which names the nearest id.
  public func setBusiness(_ id: String, active: Bool, by actor: Actor) throws -> Business {
    try updateBusiness(id, action: active ? "catalog.enable" : "catalog.disable", by: actor) {
      $0.isActive = active
    }
  }

  /// Removes a business for good.
  ///
  /// - Throws: `StoreError` of kind `notFound`, which names the nearest id.
  public func removeBusiness(_ id: String, by actor: Actor) throws {
    try change(by: actor) { change in
      let old = try change.business(id)
      try change.rows.removeBusiness(old.id)
      try change.audit("catalog.remove", id, old: old.json)
    }
  }

  private func updateBusiness(
    _ id: String, action: String, by actor: Actor, _ edit: (inout Business) throws -> Void
  ) throws -> Business {
    try change(by: actor) { change in
      let old = try change.business(id)
      var new = old
      try edit(&new)
      guard !new.hasSameContent(as: old) else { return old }
      if let objection = new.objectionToNames(besides: old) {
        throw StoreError(.invalid, objection)
      }
      new = try change.save(new)
      try change.audit(action, id, old: old.json, new: new.json)
      return new
    }
  }
}

extension Change {
  /// Adds a business or replaces the one with its id.
  ///
  /// - Returns: the business as it is now, with the time of the change.
  func save(_ business: Business) throws -> Business {
    var new = business
    new.updatedAt = now
    try rows.save(new)
    return new
  }

  /// A business, or an error that names the nearest one.
  fileprivate func business(_ id: String) throws -> Business {
    if let business = try rows.business(id) { return business }
    let near = try rows.catalogIndex().ids(nearestTo: id, onlyActive: false).first
    let name = Business.isID(id) ? "There is no business \(id)" : "There is no such business"
    throw StoreError(.notFound, name + (near.map { "; did you mean \($0)?" } ?? "."))
  }
}
