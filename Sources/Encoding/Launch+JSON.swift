public import Domain
public import JSON

extension Launch {
  /// The launch as `POST /launch` answers it (`Launch` of openapi.yaml).
  public var json: JSON {
    [
      "launch_id": .string(id.description),
      "method": "GET",
      "url": .string(url),
      "redirect_to": JSON(redirectTo),
      "deep_link": .string(deepLink),
      "headers": .object(headers.map { JSON.Member(name: $0.name, value: .string($0.value)) }),
      "issued_at": .string(issuedAt.description),
      "expires_at": .string(expiresAt.description),
      "expires_in": .integer(Int64(expiresIn)),
    ]
  }
}

extension Verdict {
  /// The verdict as `POST /verify` answers it (`Verdict` of openapi.yaml).
  public var json: JSON {
    switch self {
    case .valid(let launch):
      [
        "valid": true,
        "launch_id": .string(launch.launchID.description),
        "project_id": .string(launch.projectID.description),
        "user_id": .string(launch.userID),
        "platform": .string(launch.platform.rawValue),
        "issued_at": .string(launch.issuedAt.description),
        "expires_at": .string(launch.expiresAt.description),
      ]
    case .invalid(let code, let detail):
      ["valid": false, "code": .string(code.rawValue), "detail": .string(detail)]
    }
  }
}
