internal import Domain
internal import JSON

/// Finds requests written as JSON anywhere in a text.
enum PastedJSON {
  /// How many times the length of a text may be scanned for its objects and arrays, so that a text
  /// full of braces stays cheap.
  private static let mostPasses = 12
  /// The most requests that are read.
  private static let mostRequests = 16

  /// The requests: an answer of `POST /launch`, a body of `POST /verify`, the launches of a batch,
  /// the entries of a HAR file, or headers alone.
  static func requests(in text: String) -> [PastedRequest] {
    values(in: Array(text.utf8)).flatMap { requests(from: $0) }
  }

  /// Whether the text contains the body of a `POST /launch`.
  static func isLaunchRequest(_ text: String) -> Bool {
    values(in: Array(text.utf8)).contains { $0["user_id"] != nil && $0["platform"] != nil }
  }

  private static func requests(from json: JSON) -> [PastedRequest] {
    request(from: json).map { [$0] } ?? bundles(inside: json)
  }

  /// Deep inside a value, headers belong to a launch only where they identify themselves as such.
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
    // JavaScript clients send a lower-case method in upper case.
    request.method = (json["method"] ?? json["Method"])?.stringValue?.uppercased()
    request.url = (json["url"]?.stringValue ?? json["url"]?["raw"]?.stringValue)
      .flatMap { $0.isEmpty ? nil : $0 }
    // Postman's collections call it `header`.
    if let members = (json["headers"] ?? json["header"]).map(headers) {
      request.take(members)
      return request
    }
    request.take(headers(json).filter { $0.name != "url" && $0.name != "method" })
    return request.hasBundle ? request : nil
  }

  /// Headers as an object, or as a list: `{"name","value"}` as in HAR files, `{"key","value"}` as
  /// in Postman, pairs, lines, or alternating names and values.
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

  /// The outermost objects and arrays of a text.
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
        // This brace or bracket begins no JSON, but one inside may.
        continue
      }
    }
    return found
  }

  /// The text from a brace to the matching one, with line breaks in strings escaped.
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
