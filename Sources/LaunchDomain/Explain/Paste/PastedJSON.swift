internal import JSON

/// Finds requests that are written as JSON somewhere in a text.
enum PastedJSON {
  /// Objects that are tried at the most, so that a text full of braces costs little.
  private static let mostAttempts = 32

  /// The first request: a launch's answer, the body of `POST /verify`, a batch's first launch, or
  /// an object of headers.
  static func request(in text: String) -> PastedRequest? {
    if let found = objects(in: Array(text.utf8)).lazy.compactMap(request).first { return found }
    guard text.utf8.contains("\\\"".utf8) else { return nil }
    // A log that holds JSON inside of JSON.
    let unescaped = text.replacing("\\\"", with: "\"").replacing("\\\\", with: "\\")
      .replacing("\\/", with: "/")
    return objects(in: Array(unescaped.utf8)).lazy.compactMap(request).first
  }

  private static func request(from json: JSON) -> PastedRequest? {
    var request = PastedRequest()
    if let members = json["headers"].map(headers) {
      request.headers = members
      request.hasAllHeaders = true
      request.method = json["method"]?.stringValue
      request.url = json["url"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
      return request
    }
    if let items = json["items"]?.arrayValue {
      return items.lazy.compactMap(Self.request).first
    }
    let members = headers(json)
    guard members.contains(where: { PastedRequest.isOfBundle($0.name) }) else { return nil }
    request.headers = members.filter { $0.name != "url" && $0.name != "method" }
    request.hasAllHeaders = true
    request.method = json["method"]?.stringValue
    request.url = json["url"]?.stringValue
    return request
  }

  /// Headers by name, or as a list of `{"name","value"}` as HAR files have them.
  private static func headers(_ json: JSON) -> [(name: String, value: String)] {
    if let items = json.arrayValue {
      return items.compactMap { item in
        guard let name = item["name"]?.stringValue, let value = item["value"]?.stringValue else {
          return nil
        }
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

  private static func objects(in bytes: [UInt8]) -> [JSON] {
    var found: [JSON] = []
    var attempts = 0
    var index = 0
    while attempts < mostAttempts,
      let start = bytes[index...].firstIndex(of: UInt8(ascii: "{"))
    {
      attempts += 1
      index = start + 1
      guard let (text, end) = balanced(bytes, from: start) else { continue }
      do throws(JSONError) {
        found.append(try JSON.parse(text))
        index = end
      } catch {
        // A brace that begins no JSON: perhaps one further in does.
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
          text += Array("\\n".utf8)
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
