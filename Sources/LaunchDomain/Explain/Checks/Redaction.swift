/// Finds API keys in a text by their look.
enum SecretScanner {
  private static let start = Array("llk_".utf8)

  /// The public ids of the API keys in the text, each once; nil for one whose id is cut off.
  static func apiKeys(in text: String) -> [(id: KeyID?, length: Int)] {
    var found: [(id: KeyID?, length: Int)] = []
    var rest = Array(text.utf8)[...]
    while found.count < 16, let range = rest.firstRange(of: start) {
      rest = rest[range.upperBound...]
      let token = rest.prefix(while: isKeyByte)
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
    for header in diagnosis.pasted.headers {
      switch header.name.lowercased() {
      case "x-moment-project-id", "x-moment-platform", "signature-input", "host": continue
      case "x-moment-web-api-key" where header.value.hasPrefix("launch-"): continue
      // Such as `Bearer …`: the credentials, without the scheme.
      case "authorization", "proxy-authorization":
        secrets += header.value.split(separator: " ").dropFirst().map(String.init)
      case "signature": secrets += header.value.split(separator: ":").map(String.init)
      default: break
      }
      secrets.append(header.value)
    }
    if let project = diagnosis.project,
      let key = try diagnosis.directory.webAPIKey(of: project.id)
    {
      secrets.append(key)
    }
    secrets += secrets.map(PercentEncoding.encoded)
    // Shorter ones are words that occur by chance.
    self.secrets = Set(secrets.filter { $0.utf8.count >= 6 }).sorted {
      $0.utf8.count > $1.utf8.count
    }
  }

  /// The text without secrets and control characters, cut to a length that can be shown.
  func redacted(_ text: String) -> String {
    var text = text
    for secret in secrets { text = text.replacing(secret, with: "…") }
    text = Self.withoutAPIKeys(text)
    // A key that an escape hides.
    if SecretScanner.apiKeys(in: text.decodedPercent).contains(where: { $0.length > 12 }) {
      text = text.prefix { $0 != "?" } + "…"
    }
    text = String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.isControl }))
    return text.count > Self.longest ? text.prefix(Self.longest) + "…" : text
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
