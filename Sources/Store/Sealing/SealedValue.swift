package import Domain

/// A secret as it is stored, of whichever table.
package struct SealedValue {
  /// The place that it is bound to.
  package let place: KeyRing.Place
  /// The sealed bytes.
  package let bytes: [UInt8]

  /// Puts a value together.
  package init(place: KeyRing.Place, bytes: [UInt8]) {
    self.place = place
    self.bytes = bytes
  }
}

/// The secret of a signing key as it is stored.
package struct SealedSigningSecret {
  /// The signing key.
  let id: SigningKeyID
  /// The sealed bytes.
  package let bytes: [UInt8]

  /// Puts a secret together.
  package init(id: SigningKeyID, bytes: [UInt8]) {
    self.id = id
    self.bytes = bytes
  }
}

extension KeyRing.Place {
  static func webAPIKey(of id: ProjectID) -> KeyRing.Place {
    KeyRing.Place(table: "project", row: id.description, column: "web_api_key")
  }

  static func signingKey(_ id: SigningKeyID) -> KeyRing.Place {
    KeyRing.Place(table: "signing_key", row: id.description, column: "secret")
  }

  static let userDigestKey = KeyRing.Place(table: "digest_key", row: "user", column: "secret")

  /// The way to replace a value that is damaged.
  var remedy: String {
    switch table {
    case "project": "Run: launchlink project update \(row) --web-api-key-file FILE"
    case "signing_key": "Run: launchlink signing-key revoke \(row)"
    default: "Restore the database from a backup."
    }
  }
}

extension [SealedValue] {
  /// The names of the keys that the values were sealed with, damaged names too.
  package var sealers: Set<String> { Set(map { KeyRing.id(of: $0.bytes) }) }

  /// The ids of the master keys that the values need, sorted.
  package var masterKeys: [String] { sealers.filter(KeyRing.isID).sorted() }
}
