/// Finds API keys in a text by their look.
enum SecretScanner {
  private static let start = Array("llk_".utf8)
  /// Bytes of a key after its `llk_`.
  private static let longestTail = 62

  /// The public ids of the API keys in the text, each once; nil for one whose id is cut off.
  static func apiKeys(in text: String) -> [(id: KeyID?, length: Int)] {
    var found: [(id: KeyID?, length: Int)] = []
    var rest = Array(text.utf8)[...]
    while found.count < 16, let range = rest.firstRange(of: start) {
      rest = rest[range.upperBound...]
      let token = rest.prefix(longestTail).prefix(while: isKeyByte)
      rest = rest.dropFirst(token.count)
      guard token.count >= 6 else { continue }
      let id = KeyID("key_" + String(decoding: token.prefix(12), as: UTF8.self))
      if !found.contains(where: { $0.id == id }) { found.append((id, token.count)) }
    }
    return found
  }

  static func isKeyByte(_ byte: UInt8) -> Bool {
    PercentEncoding.isUnreserved(byte) && byte != UInt8(ascii: ".") && byte != UInt8(ascii: "~")
      && byte != UInt8(ascii: "-")
  }
}

/// Takes what is secret out of everything that is shown.
struct Redaction {
  private static let longest = 2400

  /// Texts that are never shown, longest first.
  private let secrets: [String]

  /// Knows the secrets of one diagnosis: keys, signatures, credentials, user ids.
  ///
  /// - Throws: the directory's own error.
  init(_ diagnosis: Diagnosis<some ExplanationDirectory>) throws {
    var secrets: [String] = []
    for (name, value) in diagnosis.pasted.headers where !Self.isHarmless(value, of: name) {
      secrets.append(value)
      switch name.lowercased() {
      // Such as `Bearer …`: the credentials, without the scheme.
      case "authorization", "proxy-authorization":
        secrets += value.split(separator: " ").dropFirst().map(String.init)
      case "signature":
        // The label is no secret, the code is.
        secrets += value.split(separator: ":").filter { $0.utf8.count >= 16 }.map { code in
          String(code.prefix { $0 != "=" })
        }
      default: break
      }
    }
    if let project = diagnosis.project,
      let key = try diagnosis.directory.webAPIKey(of: project.id)
    {
      secrets.append(key)
    }
    // A host is shown in small letters.
    secrets += secrets.map(PercentEncoding.encoded) + secrets.map { $0.lowercased() }
    // Shorter ones are words that occur by chance.
    self.secrets = Set(secrets.filter { $0.utf8.count >= 6 }).sorted { left, right in
      (right.utf8.count, left) < (left.utf8.count, right)
    }
  }

  /// Whether a header's value is what its name says and may be shown.
  private static func isHarmless(_ value: String, of name: String) -> Bool {
    switch name.lowercased() {
    case "x-moment-project-id": value.utf8.count <= 24 && value.allSatisfy(\.isHexDigit)
    case "x-moment-platform": value.utf8.count <= 10 && value.allSatisfy(\.isLetter)
    case "x-moment-web-api-key":
      value.hasPrefix("launch-") && LaunchID(String(value.dropFirst(7))) != nil
    case "signature-input": value.hasPrefix("launch=(")
    case "host", "accept", "user-agent": true
    default: false
    }
  }

  /// The text without secrets and control characters, cut to a length that can be shown.
  func redacted(_ text: String) -> String {
    var text = text
    for secret in secrets { text = text.replacing(secret, with: "…") }
    text = Self.withoutAPIKeys(text)
    // What an escape hides is not worth showing.
    let decoded = text.decodedPercent
    if decoded != text, containsSecret(decoded) {
      text = String(text.prefix { $0 != "?" })
      if containsSecret(text.decodedPercent) { text = "" }
      text += "…"
    }
    text = String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.isControl }))
    return text.count > Self.longest ? text.prefix(Self.longest) + "…" : text
  }

  private func containsSecret(_ text: String) -> Bool {
    secrets.contains(where: text.contains)
      || SecretScanner.apiKeys(in: text).contains { $0.length > 12 }
  }

  /// The parts with what is secret left out.
  func redacted(_ parts: Explanation.Parts) -> Explanation.Parts {
    var parts = parts
    parts.url = parts.url.map(redacted)
    parts.redirectTo = parts.redirectTo.map(redacted)
    parts.businessID = parts.businessID.map(redacted)
    parts.category = parts.category.map(redacted)
    parts.projectID = parts.projectID.map(redacted)
    parts.platform = parts.platform.map(redacted)
    parts.launchID = parts.launchID.map(redacted)
    parts.signingKeyID = parts.signingKeyID.map(redacted)
    return parts
  }

  /// A user id by its ends alone, so that whoever knows it can tell it.
  static func shortened(_ userID: String) -> String {
    userID.count < 12 ? "…" : "\(userID.prefix(2))…\(userID.suffix(2))"
  }

  /// `llk_…` by its public id.
  private static func withoutAPIKeys(_ text: String) -> String {
    var output = ""
    var rest = text[...]
    while let range = rest.firstRange(of: "llk_") {
      output += rest[..<range.lowerBound]
      let token = rest[range.upperBound...].prefix { character in
        character.utf8.allSatisfy(SecretScanner.isKeyByte)
      }
      output += token.count > 12 ? "key_\(token.prefix(12))" : "llk_…"
      rest = rest[token.endIndex...]
    }
    return output + rest
  }
}

extension String {
  /// The text with its escapes decoded, as often as there are any, at most five times.
  var decodedPercent: String {
    var text = self
    for _ in 0..<5 where text.utf8.contains(UInt8(ascii: "%")) {
      text = String(decoding: PercentEncoding.decoded(text), as: UTF8.self)
    }
    return text
  }
}
