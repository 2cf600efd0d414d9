public import Domain
public import JSON

extension FoundBusiness {
  /// The business, with `match` in the result of a search.
  public var json: JSON {
    guard let match, case .object(var members) = business.json else { return business.json }
    members.append(JSON.Member(name: "match", value: .string(match.rawValue)))
    return .object(members)
  }
}
