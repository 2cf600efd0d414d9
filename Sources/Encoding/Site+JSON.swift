public import Domain
public import JSON

extension Category {
  /// The category as the API shows it (`Category` of openapi.yaml).
  public var json: JSON {
    ["category": .string(key), "label": .string(label)]
  }
}

extension Page {
  /// The page as the API shows it (`Page` of openapi.yaml).
  public var json: JSON {
    [
      "page": .string(name),
      "path": .string(path),
      "parameters": .array(
        parameters.map { ["name": .string($0.name), "required": .bool($0.isRequired)] }),
    ]
  }
}
