public import JSON

extension Project {
  /// The project as `--output json` shows it; never its Web API Key.
  public var json: JSON {
    [
      "project_id": .string(id.description),
      "name": .string(name),
      "key_delivery": .string(keyDelivery.rawValue),
      "replay_policy": .string(replayPolicy.rawValue),
      "ttl": .integer(Int64(ttl)),
      "rate_limit": .integer(Int64(rateLimit)),
      "upstream": .string(upstream),
      "enabled": .bool(disabledAt == nil),
      "disabled_at": JSON(disabledAt),
      "created_at": .string(createdAt.description),
      "updated_at": .string(updatedAt.description),
    ]
  }
}

extension APIKey {
  /// The key as `--output json` shows it; never its secret.
  public var json: JSON {
    [
      "key_id": .string(id.description),
      "name": .string(name),
      "scopes": .array(scopeNames.map(JSON.string)),
      "project_id": JSON(projectID?.description),
      "created_at": .string(createdAt.description),
      "expires_at": JSON(expiresAt),
      "revoked_at": JSON(revokedAt),
      "replaces": JSON(replaces?.description),
    ]
  }

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

extension SigningKey {
  /// The key as `--output json` shows it; never its secret.
  public var json: JSON {
    [
      "key_id": .string(id.description),
      "state": .string(state.rawValue),
      "created_at": .string(createdAt.description),
      "activated_at": JSON(activatedAt),
      "retired_at": JSON(retiredAt),
      "revoked_at": JSON(revokedAt),
      "verifies_until": JSON(verifiesUntil),
    ]
  }
}
