public import Domain
internal import JSON

extension Store {
  /// Sets the latest version of the cashback web.
  public func setWebVersion(_ version: WebVersion, by actor: Actor) throws {
    try change(by: actor) { change in
      let old = try change.rows.webVersion()
      guard old?.description != version.description else { return }
      try change.rows.save(version)
      try change.audit(
        "web-version.set", "web-version", old: JSON(old?.description),
        new: .string(version.description))
    }
  }

  /// Adds a cookie, or replaces the one of the same project, name, domain and path.
  ///
  /// - Parameters:
  ///   - cookie: the cookie.
  ///   - attributes: the attributes that a replaced cookie keeps.
  ///   - actor: who sets it.
  /// - Returns: the cookie as it is now.
  /// - Throws: `FieldFault` where kept and new attributes contradict each other; `StoreError`.
  @discardableResult
  public func setCookie(
    _ cookie: WebViewCookie, keeping attributes: Set<WebViewCookie.Attribute>, by actor: Actor
  ) throws -> WebViewCookie {
    try change(by: actor) { change in
      if let id = cookie.projectID { _ = try change.project(id) }
      let old = try change.rows.cookies().first(where: cookie.isSameAs)
      // A cookie that has ended passes nothing on, least of all its end.
      let hasEnded = old?.expiresAt.map { $0 <= change.now } ?? false
      var cookie = cookie
      if let old, !hasEnded { cookie = try cookie.keeping(attributes, of: old) }
      guard old != cookie else { return cookie }
      try change.rows.remove(cookie)
      try change.rows.insert(cookie)
      let isOther = old.map { $0.value != cookie.value } ?? false
      try change.audit(
        "cookie.set", cookie.subject, old: old?.auditValue(),
        new: cookie.auditValue(isChanged: isOther))
      return cookie
    }
  }

  /// Removes the cookie of the same project, name, domain and path.
  ///
  /// - Throws: `StoreError` of kind `notFound`.
  public func removeCookie(_ cookie: WebViewCookie, by actor: Actor) throws {
    try change(by: actor) { change in
      let old = try change.rows.cookies().first(where: cookie.isSameAs)
      guard let old else {
        throw StoreError(.notFound, "There is no such cookie. Run: launchlink cookie list")
      }
      try change.rows.remove(old)
      try change.audit("cookie.remove", old.subject, old: old.auditValue())
    }
  }
}

extension WebViewCookie {
  fileprivate func isSameAs(_ other: WebViewCookie) -> Bool {
    projectID == other.projectID && takesThePlace(of: other)
  }

  fileprivate var subject: String { "\(name) of \(domain)\(path)" }

  /// Everything but the value, which may be a secret; of the value only whether it changed.
  fileprivate func auditValue(isChanged: Bool = false) -> JSON {
    let members = json.objectValue?.filter { $0.name != "value" } ?? []
    return .object(
      [JSON.Member(name: "project_id", value: JSON(projectID?.description))] + members
        + (isChanged ? [JSON.Member(name: "value", value: "changed")] : []))
  }
}
