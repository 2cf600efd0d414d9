internal import JSON
internal import LaunchDomain

extension Launch {
  /// The bytes of `json`, written out: the answer of the one route whose speed matters most.
  ///
  /// A tree of JSON values for this answer has some forty allocations; this has one.
  func encoded() -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(1400)
    output.append(text: "{\"launch_id\":\"")
    output.append(contentsOf: id.description.utf8)
    output.append(text: "\",\"method\":\"GET\",\"url\":")
    JSON.appendString(url, to: &output)
    output.append(text: ",\"redirect_to\":")
    if let redirectTo {
      JSON.appendString(redirectTo, to: &output)
    } else {
      output.append(text: "null")
    }
    output.append(text: ",\"deep_link\":")
    JSON.appendString(deepLink, to: &output)
    output.append(text: ",\"headers\":{")
    var separator: StaticString = ""
    for (name, value) in headers {
      output.append(text: separator)
      JSON.appendString(name, to: &output)
      output.append(UInt8(ascii: ":"))
      JSON.appendString(value, to: &output)
      separator = ","
    }
    output.append(text: "},\"issued_at\":\"")
    output.append(contentsOf: issuedAt.rfc3339)
    output.append(text: "\",\"expires_at\":\"")
    output.append(contentsOf: expiresAt.rfc3339)
    output.append(text: "\",\"expires_in\":")
    output.append(contentsOf: String(expiresIn).utf8)
    output.append(UInt8(ascii: "}"))
    return output
  }
}

extension [UInt8] {
  fileprivate mutating func append(text: StaticString) {
    text.withUTF8Buffer { append(contentsOf: $0) }
  }
}
