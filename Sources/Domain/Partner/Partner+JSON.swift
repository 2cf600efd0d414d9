public import JSON

extension Project {
  /// The project as `--output json` and the audit log show it; never its Web API Key.
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
  /// The key as `--output json` and the audit log show it; never its secret.
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
}

extension SigningKey {
  /// The key as `--output json` and the audit log show it; never its secret.
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
