internal import Cryptography
internal import Domain
internal import JSON
public import Store

/// The cursor of the list of businesses: a position in JSON as base64url (RFC 4648 section 5).
public enum Cursor {
  /// Encodes a position.
  public static func text(_ position: BusinessPosition) -> String {
    var parts: [JSON] = [.string(position.name), .string(position.id)]
    if let rank = position.rank { parts.append(.integer(Int64(rank.rawValue))) }
    return Base64.encode(JSON.array(parts).encoded()).replacing("+", with: "-")
      .replacing("/", with: "_").replacing("=", with: "")
  }

  /// Decodes a position; nil if the text is not a cursor.
  public static func position(_ text: String) -> BusinessPosition? {
    let standard = text.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    guard let bytes = Base64.decode(standard + padding), let json = try? JSON.parse(bytes),
      let parts = json.arrayValue, (2...3).contains(parts.count),
      let name = parts[0].stringValue, let id = parts[1].stringValue
    else { return nil }
    guard parts.count == 3 else { return BusinessPosition(name: name, id: id) }
    return parts[2].integerValue.flatMap { MatchRank(Int($0)) }.map {
      BusinessPosition(rank: $0, name: name, id: id)
    }
  }
}
