public import JSON

extension Business {
  /// The business as the API and `--output json` show it (`Business` of openapi.yaml).
  public var json: JSON {
    [
      "business_id": .string(id),
      "name": .string(name),
      "aliases": .array(aliases.map(JSON.string)),
      "category": .string(category),
      "image_url": JSON(imageURL),
      "url": JSON(url),
      "program_name": JSON(programName),
      "display_allowed_cases": JSON(displayAllowedCases),
      "display_caution": JSON(displayCaution),
      "active": .bool(isActive),
      "products": .array(products.map(\.json)),
      "updated_at": .string(updatedAt.description),
    ]
  }
}

extension FoundBusiness {
  /// The business, with `match` where it was searched for.
  public var json: JSON {
    guard let match, case .object(var members) = business.json else { return business.json }
    members.append(JSON.Member(name: "match", value: .string(match.rawValue)))
    return .object(members)
  }
}

extension Product {
  /// The product as a member of its business (`Product` of openapi.yaml).
  public var json: JSON {
    [
      "target": JSON(target),
      "starts_at": JSON(startsAt),
      "ends_at": JSON(endsAt),
      "commission_type": .string(commissionType.rawValue),
      "commission": [
        "amount": .string(commission.amount),
        "unit": .string(commission.unit.rawValue),
      ],
    ]
  }
}
