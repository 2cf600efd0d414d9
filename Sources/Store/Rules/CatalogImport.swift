public import Domain
internal import JSON

extension Store {
  /// Adds and changes businesses, all or none.
  ///
  /// The businesses are first read into a staging area on disk, so that any number of them takes little memory and
  /// no other change waits while they are read.
  ///
  /// - Parameters:
  ///   - manner: the manner of the import.
  ///   - actor: who imports.
  ///   - read: hands all businesses to the collector.
  ///   - eachChange: gets each change before the commit.
  ///   - confirm: asks whether the import may take things away, where `manner` does not say so. Nothing is locked
  ///     meanwhile, and afterwards `eachChange` gets all changes again.
  /// - Returns: the numbers of businesses by what happened to them.
  /// - Throws: `CatalogFaults` with all that `read` throws and all that does not go with the catalogue;
  ///   `StoreError` of kind `invalid` where all businesses would be deactivated, of kind `unavailable`
  ///   where other things would go than `confirm` heard of; what `read`, `eachChange` and `confirm`
  ///   throw. Then nothing changes.
  public func importCatalog(
    _ manner: ImportManner, by actor: Actor, reading read: (any CatalogCollector) throws -> Void,
    eachChange: (CatalogChange) throws -> Void, confirm: (CatalogLosses) throws -> Void
  ) throws -> ImportSummary {
    try tables.withStaging { staging in
      let faults = try staging.fill(read)
      func run(_ confirmed: CatalogLosses?) throws -> ImportSummary {
        try staging.change(isDryRun: manner.isDryRun || faults.count > 0) { rows in
          var pass = ImportPass(manner, staging, faults, confirmed)
          return try pass.run(in: makeChange(rows, by: actor), eachChange)
        }
      }
      do {
        return try run(nil)
      } catch let error as UnconfirmedLosses {
        try confirm(error.losses)
        return try run(error.losses)
      }
    }
  }
}

/// Ends a pass that would take things away without consent, and rolls it back.
private struct UnconfirmedLosses: Error {
  let losses: CatalogLosses
}

/// One pass over all businesses that were read, which brings them into the catalogue if nothing is wrong.
private struct ImportPass {
  private let manner: ImportManner
  private let staging: any CatalogStaging
  private var faults: CatalogFaults
  /// The losses that somebody agreed to; nil where nobody was asked.
  private let confirmed: CatalogLosses?
  private var losses = CatalogLosses()
  private var summary = ImportSummary()

  init(
    _ manner: ImportManner, _ staging: any CatalogStaging, _ faults: CatalogFaults,
    _ confirmed: CatalogLosses?
  ) {
    self.manner = manner
    self.staging = staging
    self.faults = faults
    self.confirmed = confirmed
  }

  mutating func run(
    in change: borrowing Change, _ eachChange: (CatalogChange) throws -> Void
  ) throws -> ImportSummary {
    // Once there is a fault, the pass only looks for further faults.
    let isFaulty = faults.count > 0
    try staging.forEach { entry in
      if !isFaulty || !entry.isComplete { try bringIn(entry, change, eachChange) }
    }
    guard faults.count == 0 else { throw faults }
    summary.missing = try staging.findMissing()
    if manner.prunes { try prune(change, eachChange) }
    try checkLosses()
    if !manner.isDryRun { try change.audit(summary) }
    return summary
  }

  private mutating func bringIn(
    _ entry: CatalogEntry, _ transaction: borrowing Change,
    _ eachChange: (CatalogChange) throws -> Void
  ) throws {
    let old = try transaction.rows.business(entry.id)
    let found: CatalogChange?
    do throws(CatalogFaults) {
      found = try CatalogChange(entry, to: old, now: transaction.now)
    } catch {
      faults = faults.merged(with: error)
      return
    }
    guard let change = found else {
      summary.unchanged += 1
      return
    }
    if old == nil { summary.added += 1 } else { summary.changed += 1 }
    if !change.erasures.isEmpty { summary.erased += 1 }
    if change.deactivates { summary.deactivated += 1 }
    try carryOut(change, from: old, transaction, eachChange)
  }

  private mutating func prune(
    _ transaction: borrowing Change, _ eachChange: (CatalogChange) throws -> Void
  ) throws {
    guard summary.added + summary.changed + summary.unchanged > 0 else {
      throw StoreError(.invalid, "There is no business in the file: --prune would deactivate all.")
    }
    summary.deactivated += summary.missing
    summary.missing = 0
    try staging.forEachMissing { old in
      if let change = CatalogChange(deactivating: old) {
        try carryOut(change, from: old, transaction, eachChange)
      }
    }
  }

  private mutating func carryOut(
    _ change: CatalogChange, from old: Business?, _ transaction: borrowing Change,
    _ eachChange: (CatalogChange) throws -> Void
  ) throws {
    losses.add(change)
    let isRefused = losses.count > 0 && !manner.mayErase && confirmed == nil
    if !manner.isDryRun, !isRefused, faults.count == 0 {
      if let objection = change.business.objectionToNames(besides: old) {
        throw StoreError(.invalid, objection)
      }
      let new = try transaction.save(change.business)
      if let old { try transaction.audit(change, from: old, to: new) }
    }
    try eachChange(change)
  }

  /// Refuses losses that nobody agreed to.
  private func checkLosses() throws {
    guard losses.count > 0, !manner.mayErase, !manner.isDryRun else { return }
    guard let confirmed else { throw UnconfirmedLosses(losses: losses) }
    guard losses.isSame(as: confirmed) else {
      throw StoreError(
        .unavailable,
        "Somebody else changed the catalogue meanwhile, and the import would take away other things "
          + "than were shown. Nothing was imported; run it again.")
    }
  }
}

extension Change {
  /// One row for each changed business: its changed parts, old and new.
  fileprivate func audit(
    _ change: CatalogChange, from old: Business, to new: Business
  ) throws {
    let changed = { (business: Business) -> JSON in
      .object(business.json.objectValue?.filter { change.fields.contains($0.name) } ?? [])
    }
    try audit(
      change.kind == .deactivate ? "catalog.disable" : "catalog.update", new.id,
      old: changed(old), new: changed(new))
  }

  fileprivate func audit(_ summary: ImportSummary) throws {
    guard summary.added + summary.changed + summary.deactivated > 0 else { return }
    try audit(
      "catalog.import", "catalog",
      new: [
        "added": .integer(Int64(summary.added)), "changed": .integer(Int64(summary.changed)),
        "unchanged": .integer(Int64(summary.unchanged)),
        "erased": .integer(Int64(summary.erased)),
        "deactivated": .integer(Int64(summary.deactivated)),
      ])
  }
}
