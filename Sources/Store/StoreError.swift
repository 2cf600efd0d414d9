internal import Domain

/// The store's refusal or failure, in words for an admin; it never shows a secret or SQL.
public struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What callers tell apart.
  public enum Kind: Sendable, CaseIterable {
    /// The thing that was named does not exist.
    case notFound
    /// The thing to be made exists already.
    case alreadyExists
    /// The state of things forbids it.
    case inUse
    /// A value does not fit.
    case invalid
    /// The file system or the owner forbids it.
    case permission
    /// The data is missing, of a newer version, damaged, or sealed for another key ring.
    case unusable
    /// Reading or writing failed.
    case inputOutput
    /// The store cannot answer now and may later.
    case unavailable
  }

  /// What callers tell apart.
  public let kind: Kind
  /// What is wrong and what to do.
  public let description: String

  /// Makes an error.
  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}

extension StoreError {
  /// Takes a text as a name by a rule.
  ///
  /// - Returns: the name in Unicode NFC.
  /// - Throws: `StoreError` of kind `invalid`.
  static func checkingName(
    _ text: String, by rule: (String) throws(NameRule.Objection) -> String
  ) throws -> String {
    do throws(NameRule.Objection) {
      return try rule(text)
    } catch {
      throw StoreError(.invalid, "The name does not fit. \(error)")
    }
  }
}

/// Takes a value that the schema's checks let through, and calls the database damaged without it.
package func known<Value>(_ value: Value?) throws -> Value {
  guard let value else {
    throw StoreError(
      .unusable, "The database holds a value of an unknown kind. Restore it from a backup.")
  }
  return value
}
