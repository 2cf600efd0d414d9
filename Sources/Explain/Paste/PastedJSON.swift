internal import Domain
internal import JSON

/// Finds requests that are written as JSON somewhere in a text.
enum PastedJSON {
  /// How often the length of a text may be gone over in search of its objects and arrays, so that a
  /// text full of braces costs little.
  private static let mostPasses = 12
  /// Requests that are told apart at the most.
  private static let mostRequests = 16

  /// The requests: a launch's answer, the body of `POST /verify`, the launches of a batch, the entries
  /// of a HAR file, or headers by themselves.
  static func requests(in text: String) -> [PastedRequest] {
    values(in: Array(text.utf8)).flatMap { requests(from: $0) }
  }

  /// Whether the text holds what `POST /launch` is sent.
  static func isLaunchRequest(_ text: String) -> Bool {
    values(in: Array(text.utf8)).contains { $0["user_id"] != nil && $0["platform"] != nil }
  }

  private static func requests(from json: JSON) -> [PastedRequest] {
    request(from: json).map { [$0] } ?? bundles(inside: json)
  }

  /// Deep inside, headers are a request's of a launch only where they say so.
  private static func bundles(inside json: JSON) -> [PastedRequest] {
    let children = json.arrayValue ?? json.objectValue?.map(\.value) ?? []
    var found: [PastedRequest] = []
    for child in children where found.count < mostRequests {
      if let request = request(from: child) {
        if request.hasBundle { found.append(request) }
      } else {
        found += bundles(inside: child)
      }
    }
    return found
  }

  private static func request(from json: JSON) -> PastedRequest? {
    var request = PastedRequest()
    request.hasAllHeaders = true
    request.isExact = true
    // The clients of JavaScript send in capitals what is written in small letters.
    request.method = (json["method"] ?? json["Method"])?.stringValue?.uppercased()
    request.url = (json["url"]?.stringValue ?? json["url"]?["raw"]?.stringValue)
      .flatMap { $0.isEmpty ? nil : $0 }
    // Postman's collections say header.
    if let members = (json["headers"] ?? json["header"]).map(headers) {
      request.take(members)
      return request
    }
    request.take(headers(json).filter { $0.name != "url" && $0.name != "method" })
    return request.hasBundle ? request : nil
  }

  /// Headers by name, or as a list: `{"name","value"}` as HAR files have them, `{"key","value"}` as
  /// Postman does, pairs, lines, or names and values in turn.
  private static func headers(_ json: JSON) -> [(name: String, value: String)] {
    if let items = json.arrayValue {
      let texts = items.compactMap(\.stringValue)
      if texts.count == items.count { return headers(texts) }
      return items.compactMap { item in
        let pair = item.arrayValue?.compactMap(\.stringValue) ?? []
        let name = (item["name"] ?? item["key"])?.stringValue ?? pair.first
        let value = item["value"]?.stringValue ?? pair.dropFirst().first
        guard let name, let value, item["disabled"]?.boolValue != true else { return nil }
        return (name, value)
      }
    }
    return (json.objectValue ?? []).flatMap { member -> [(name: String, value: String)] in
      switch member.value {
      case .string(let value): [(member.name, value)]
      case .integer(let value): [(member.name, String(value))]
      case .array(let values): values.compactMap(\.stringValue).map { (member.name, $0) }
      default: []
      }
    }
  }

  private static func headers(_ texts: [String]) -> [(name: String, value: String)] {
    if texts.first?.contains(":") == true {
      return texts.compactMap { line in
        line.firstIndex(of: ":").map { (String(line[..<$0]), String(line[$0...].dropFirst())) }
      }
    }
    return stride(from: 0, to: texts.count - 1, by: 2).map { (texts[$0], texts[$0 + 1]) }
  }

  /// The objects and arrays of a text, those inside of others not counted.
  static func values(in bytes: [UInt8]) -> [JSON] {
    var found: [JSON] = []
    var budget = mostPasses * bytes.count
    var index = 0
    while budget > 0,
      let start = bytes[index...].firstIndex(where: { "{[".utf8.contains($0) })
    {
      index = start + 1
      guard let (text, end) = balanced(bytes, from: start) else {
        budget -= bytes.count - start
        continue
      }
      budget -= end - start
      do throws(JSONError) {
        found.append(try JSON.parse(text))
        index = end
      } catch {
        // A brace or bracket that begins no JSON: perhaps one further in does.
        continue
      }
    }
    return found
  }

  /// The text from a brace to its closing one, with the line breaks inside of strings escaped.
  private static func balanced(_ bytes: [UInt8], from start: Int) -> (text: [UInt8], end: Int)? {
    var text: [UInt8] = []
    var depth = 0
    var isInString = false
    var isEscaped = false
    for index in start..<bytes.count {
      let byte = bytes[index]
      if isInString {
        switch byte {
        case _ where isEscaped: isEscaped = false
        case UInt8(ascii: "\\"): isEscaped = true
        case UInt8(ascii: "\""): isInString = false
        case UInt8(ascii: "\n"):
          text.append(contentsOf: "\\n".utf8)
          continue
        default: break
        }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        default: break
        }
      }
      text.append(byte)
      if depth == 0 { return (text, index + 1) }
    }
    return nil
  }
}
