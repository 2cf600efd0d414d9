public import Domain
public import JSON

extension APIKey {
  /// The key as `key list` and `key show` show it, with its status, successor and last use.
  public func json(at now: Timestamp, successor: KeyID?, lastUsedAt: Timestamp?) -> JSON {
    .object(
      (json.objectValue ?? []) + [
        JSON.Member(
          name: "status", value: .string(status(at: now, successor: successor).rawValue)),
        JSON.Member(name: "successor", value: JSON(successor?.description)),
        JSON.Member(name: "last_used_at", value: JSON(lastUsedAt)),
      ])
  }
}
