public import JSON

extension Business {
  /// The business as the API, `--output json`, an export and the audit log show it (`Business` of
  /// openapi.yaml).
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
