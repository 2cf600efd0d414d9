internal import JSON

extension Store {
  /// Adds a master key and seals every secret anew with it, also while servers run.
  ///
  /// Servers read the ring anew when they meet an unknown key.
  ///
  /// - Throws: `StoreError` of kind `permission` where the ring cannot be written.
  public func rotateMasterKey(by actor: Actor) throws -> MasterKeyRotation {
    try change(by: actor) { change in
      // Read anew under the database's lock: another command may have added a key.
      let old = try keyRing.current.rereadToChange()
      let sealed = try change.rows.sealedValues()
      // All are opened before the ring is changed: a refused rotation adds no key.
      let secrets = try sealed.map { try old.open($0.bytes, at: $0.place) }
      // The key is on disk before anything is sealed with it. A kill from here on leaves an unused key, which does
      // no harm.
      let new = try old.addingKey()
      for (value, secret) in zip(sealed, secrets) {
        try change.rows.replace(value, with: new.seal(secret, at: value.place))
      }
      try change.audit(
        "master-key.rotate", new.sealingID, old: .string(old.sealingID),
        new: .string(new.sealingID))
      keyRing.current = new
      return MasterKeyRotation(keyID: new.sealingID, resealed: sealed.count)
    }
  }

  /// The ids of the master keys that no secret is sealed with, in the order of the ring.
  public func unneededMasterKeys() throws -> [String] {
    let view = try tables.makeView()
    return try view.translating {
      try keyRing.current.asOfNow().unneeded(besides: view.rows.sealedValues().sealers)
    }
  }

  /// Removes master keys that no secret is sealed with.
  ///
  /// - Parameters:
  ///   - ids: the keys to remove; one that a secret is sealed with, or that seals, stays.
  ///   - actor: for the audit log.
  /// - Returns: the ids of the keys that were removed.
  /// - Throws: `StoreError` of kind `permission` where the ring cannot be written.
  public func dropMasterKeys(_ ids: [String], by actor: Actor) throws -> [String] {
    try change(by: actor) { change in
      let old = try keyRing.current.rereadToChange()
      let dropped = old.unneeded(besides: try change.rows.sealedValues().sealers)
        .filter(ids.contains)
      guard !dropped.isEmpty else { return [] }
      let ring = try old.removing(dropped)
      try change.audit(
        "master-key.drop", "master-key", old: .array(dropped.map(JSON.string)))
      keyRing.current = ring
      return dropped
    }
  }

  /// Records a backup in the audit log, which warns whoever drops a master key.
  ///
  /// - Parameters:
  ///   - name: its name in the audit log.
  ///   - schemaVersion: the version of its schema.
  ///   - masterKeys: the master keys that its secrets are sealed with.
  ///   - replaced: whether it replaces a file.
  ///   - old: the key ring that it was made with.
  ///   - actor: who made it.
  /// - Throws: `StoreError` of kind `unavailable` where a key that it needs was dropped while it was made.
  package func recordBackup(
    to name: String, schemaVersion: Int, masterKeys: [String], replacing replaced: Bool,
    openedWith old: KeyRing, by actor: Actor
  ) throws {
    try change(by: actor) { change in
      let ring = try keyRing.underWriteLock(of: change.rows)
      if let key = masterKeys.first(where: { old.holds($0) && !ring.holds($0) }) {
        throw StoreError(
          .unavailable,
          "The master key \(key) was dropped while the backup was made. No key would open that backup, so it "
            + "was removed: make it again.")
      }
      try change.audit(
        "db.backup", name,
        new: [
          "schema_version": .integer(Int64(schemaVersion)),
          "master_keys": .array(masterKeys.map(JSON.string)),
          "replaced": .bool(replaced),
        ])
    }
  }
}
