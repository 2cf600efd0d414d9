internal import Domain
internal import Store

/// Ends in a restored database what the replaced one had ended.
struct Revocations {
  private let old: (any Rows)?
  private let keepsUnknown: Bool
  private let now: Timestamp
  private let moment: StoreMoment

  /// Compares with a replaced database.
  ///
  /// - Parameters:
  ///   - old: the replaced database; nil where it cannot tell.
  ///   - keepsUnknown: whether keys and projects that it does not know stay alive.
  ///   - now: the time of the change.
  ///   - moment: the store's clocks.
  init(of old: (any Rows)?, keepsUnknown: Bool, now: Timestamp, at moment: StoreMoment) {
    self.old = old
    self.keepsUnknown = keepsUnknown
    self.now = now
    self.moment = moment
  }

  /// Ends in the new database what was ended in the old one.
  func carry(into new: any ChangingRows, _ report: inout RestoreReport) throws {
    report.endedKeys = try endKeys(new)
    report.disabledProjects = try disableProjects(new)
    try carryUse(new)
  }

  private func endKeys(_ new: any ChangingRows) throws -> [String] {
    var known: [KeyID: APIKey] = [:]
    for key in try old?.apiKeys(of: nil) ?? [] { known[key.id] = key }
    var ended: [String] = []
    for var key in try new.apiKeys(of: nil) where key.revokedAt == nil {
      let expiresAt = key.expiresAt
      if let there = known[key.id] {
        key.revokedAt = there.revokedAt
        if let end = there.expiresAt { key.expiresAt = min(end, expiresAt ?? end) }
      } else {
        key.revokedAt = keepsUnknown ? nil : now
      }
      guard key.revokedAt != nil || key.expiresAt != expiresAt else { continue }
      try new.saveEnd(of: key)
      ended.append(key.id.description)
    }
    return ended
  }

  private func disableProjects(_ new: any ChangingRows) throws -> [String] {
    guard let old else { return [] }
    var known: [ProjectID: Project] = [:]
    for project in try old.projects() { known[project.id] = project }
    var disabled: [String] = []
    for var project in try new.projects() where project.disabledAt == nil {
      let there = known[project.id]
      // A project that the old database lacks was deleted, and comes back disabled.
      guard there == nil ? !keepsUnknown : there?.disabledAt != nil else { continue }
      project.disabledAt = there?.disabledAt ?? now
      project.updatedAt = now
      try new.save(project)
      disabled.append(project.id.description)
    }
    return disabled
  }

  /// Takes over log-outs and used launches row by row, since there can be many.
  private func carryUse(_ new: any ChangingRows) throws {
    try old?.forEachLogOut { user, time in
      try new.carryLogOut(of: user, at: time, runningTime: moment.runningTime)
    }
    try old?.forEachUsedLaunch { id, time in
      _ = try new.insertUse(of: id, at: time, runningTime: moment.runningTime)
    }
  }
}
