internal import Domain
internal import Encoding
public import JSON

extension Explanation {
  /// Whether the launch works; `null` where that cannot be told.
  private var works: JSON {
    switch outcome {
    case .works: true
    case .fails: false
    case .undecided, .none: .null
    }
  }

  /// The explanation as `launchlink explain --output json` shows it, texts in every language.
  public var json: JSON {
    [
      "works": works,
      "findings": .array(findings.map(\.json)),
      "parts": parts.json,
    ]
  }
}

extension Finding {
  /// The finding with its texts by language code.
  public var json: JSON {
    [
      "severity": .string(severity.rawValue),
      "code": .string(code.rawValue),
      "text": Self.byLanguage { text(in: $0) },
      "advice": advice(in: .english) == nil ? .null : Self.byLanguage { advice(in: $0) },
    ]
  }

  private static func byLanguage(_ text: (Language) -> String?) -> JSON {
    .object(Language.allCases.map { JSON.Member(name: $0.rawValue, value: JSON(text($0))) })
  }
}

extension Explanation.Parts {
  /// Each part by the API's name; `null` where it was not found.
  public var json: JSON {
    [
      "url": JSON(url),
      "redirect_to": JSON(redirectTo),
      "page": JSON(page),
      "business_id": JSON(businessID),
      "category": JSON(category),
      "project_id": JSON(projectID),
      "project_name": JSON(projectName),
      "platform": JSON(platform),
      "user": JSON(user),
      "launch_id": JSON(launchID),
      "signing_key_id": JSON(signingKeyID),
      "issued_at": JSON(issuedAt),
      "expires_at": JSON(expiresAt),
    ]
  }
}
