internal import Domain
internal import UnicodeText

/// Finds API keys in a text by their form.
enum SecretScanner {
  private static let start = "llk_"
  /// The length of a key after its `llk_`.
  private static let longestTail = 62
  /// The length of a key's public ID.
  private static let idLength = 12
  /// The most keys that are found.
  private static let mostKeys = 16

  /// The public IDs of the API keys in the text, each once; nil for one whose ID is malformed.
  ///
  /// A public ID alone, or with a mask in place of the rest, is not a key.
  static func apiKeys(in text: String) -> [(id: KeyID?, length: Int)] {
    let bytes = Array(text.utf8)
    var found: [(id: KeyID?, length: Int)] = []
    var index = 0
    while found.count < mostKeys, let position = bytes.firstIndex(of: start, from: index) {
      let token = bytes[(position + start.utf8.count)...].prefix(longestTail)
        .prefix(while: isKeyByte)
      index = token.endIndex
      let secret = token.dropFirst(idLength).drop { $0 == UInt8(ascii: "_") }
      guard !secret.isEmpty, !Masking.isRun(secret) else { continue }
      let id = KeyID("key_" + String(decoding: token.prefix(idLength), as: UTF8.self))
      if !found.contains(where: { $0.id == id }) { found.append((id, token.count)) }
    }
    return found
  }

  static func isKeyByte(_ byte: UInt8) -> Bool {
    PercentEncoding.isUnreserved(byte) && byte != UInt8(ascii: ".") && byte != UInt8(ascii: "~")
      && byte != UInt8(ascii: "-")
  }
}

/// Removes secrets from everything that is shown.
struct Redaction {
  private static let longest = 2400
  private static let mask = "…"
  /// The most segments of a path that are read; more are never shown.
  private static let mostSegments = 50

  let site: Site
  /// Texts that are never shown.
  private let secrets: PatternSet
  /// The secrets, folded as by `folded`.
  private let foldedSecrets: PatternSet
  /// Runs of letters and digits that look like secrets but are names.
  private var names: Set<String> = []

  /// Collects the secrets of one launch: keys, signatures, credentials, user IDs.
  init(site: Site, pasted: PastedRequest, webAPIKeys: [String]) {
    self.site = site
    var secrets = webAPIKeys
    for (name, value) in pasted.headers where !Self.isHarmless(value, of: name) {
      secrets.append(value)
      switch name.lowercased() {
      // Credentials such as `Bearer …`, without the scheme.
      case "authorization", "proxy-authorization":
        secrets += value.split(separator: " ").dropFirst().map(String.init)
      case "signature":
        // The code is secret, its label is not.
        secrets += value.split(separator: ":").filter { $0.utf8.count >= 16 }.map { code in
          String(code.prefix { $0 != "=" })
        }
      default: break
      }
    }
    // Shorter texts are words that occur by chance.
    let isLongEnough: (String) -> Bool = { $0.utf8.count >= 6 }
    foldedSecrets = PatternSet(secrets.map(Self.folded).filter(isLongEnough))
    // Hosts are shown in lower case.
    secrets += secrets.map(PercentEncoding.encoded) + secrets.map { $0.lowercased() }
    self.secrets = PatternSet(secrets.filter(isLongEnough))
    for upstream in site.upstreams.values { allow(upstream.authority + upstream.path) }
    for page in site.pages { allow("\(page.name) \(page.path)") }
    for category in site.categories { allow("\(category.key) \(category.label)") }
  }

  /// Whether a header's value has the public form that its name promises, or is never shown.
  private static func isHarmless(_ value: String, of name: String) -> Bool {
    switch name.lowercased() {
    case "x-moment-project-id": value.utf8.count <= 24 && value.allSatisfy(\.isHexDigit)
    case "x-moment-platform": value.utf8.count <= 10 && value.allSatisfy(\.isLetter)
    case "x-moment-web-api-key":
      value.hasPrefix("launch-") && LaunchID(String(value.dropFirst(7))) != nil
    case "signature-input": value.hasPrefix("launch=(")
    case "host", "accept", "user-agent", "origin", "referer": true
    default: false
    }
  }

  /// Excludes the words of a public name, such as a project's ID, from the secrets.
  mutating func allow(_ name: String) {
    names.formUnion(Self.runs(in: name))
  }

  /// The text without secrets and control characters, shortened for display.
  ///
  /// This is the last line of defence: pasted text goes through the function for its kind first.
  func redacted(_ text: String) -> String {
    var text = Self.withoutAPIKeys(secrets.masked(text, by: Self.mask))
    text = withoutSecretWords(text)
    text = String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.isControl }))
    return text.count > Self.longest ? text.prefix(Self.longest) + Self.mask : text
  }

  private func withoutSecretWords(_ text: String) -> String {
    let isEdge: (Character) -> Bool = { $0.isWhitespace || "‘’“”'\"(),".contains($0) }
    var output = ""
    var rest = text[...]
    while !rest.isEmpty {
      let word = rest.prefix { !isEdge($0) }
      output += looksSecret(String(word)) ? Self.mask : String(word)
      rest = rest[word.endIndex...]
      let edges = rest.prefix(while: isEdge)
      output += edges
      rest = rest[edges.endIndex...]
    }
    return output
  }

  /// The parts without secrets.
  func redacted(_ parts: Explanation.Parts) -> Explanation.Parts {
    var parts = parts
    parts.url = parts.url.map(url).map(redacted)
    parts.redirectTo = parts.redirectTo.map(target).map(redacted)
    parts.businessID = parts.businessID.map(value).map(redacted)
    parts.category = parts.category.map(value).map(redacted)
    parts.projectID = parts.projectID.map(value).map(redacted)
    parts.platform = parts.platform.map(value).map(redacted)
    parts.launchID = parts.launchID.map(redacted)
    parts.signingKeyID = parts.signingKeyID.map(value).map(redacted)
    parts.user = parts.user.map(user)
    return parts
  }

  // MARK: Parts of a launch

  /// The ends of a user ID, by which whoever knows it recognizes it; nothing where it may be a key.
  private func user(_ id: String) -> String {
    id.count < 12 || id.count > 64 || looksSecret(id, asIdentity: true)
      ? Self.mask : "\(id.prefix(2))…\(id.suffix(2))"
  }

  /// A value of any place, whole or not at all.
  func value(_ value: String) -> String {
    value.count > 64 || looksSecret(value) || Self.looksLikeBase64(value) ? Self.mask : value
  }

  /// The name of a parameter or header, shortened.
  func name(_ name: String) -> String {
    if looksSecret(name) || Self.looksLikeBase64(name) { return Self.mask }
    return name.count > 30 ? name.prefix(30) + Self.mask : name
  }

  /// A URL: scheme, host, path, and the query as `query` shows it.
  func url(_ url: String) -> String {
    guard let colon = url.firstRange(of: "://") else { return Self.mask }
    let rest = url[colon.upperBound...].prefix { $0 != "#" }
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let path = rest[authority.endIndex...].prefix { $0 != "?" }
    let query = rest[path.endIndex...]
    let address = String(authority) + path
    let isSplit =
      looksSecret(address) && !looksSecret(String(authority)) && !looksSecret(String(path))
    let isKnown = isKnownHost(String(authority))
    let host = isSplit && !isKnown ? Self.mask : self.host(String(authority))
    let shownPath = isSplit && !isKnown ? "/" + Self.mask : self.path(String(path))
    let shownQuery = query.isEmpty ? "" : self.query(String(query))
    return "\(name(String(url[..<colon.lowerBound])))://\(host)\(shownPath)\(shownQuery)"
  }

  private func isKnownHost(_ authority: String) -> Bool {
    site.upstreams.values.contains { $0.authority == authority.lowercased() }
  }

  /// A host without the labels that do not look like names.
  func host(_ authority: String) -> String {
    if isKnownHost(authority) { return authority }
    let isOfHost: (UInt8) -> Bool = { byte in
      PercentEncoding.isUnreserved(byte) && byte != UInt8(ascii: "~") || "[]:".utf8.contains(byte)
        || byte >= 0x80
    }
    guard authority.utf8.count <= 100, authority.utf8.allSatisfy(isOfHost),
      !holdsSecret(authority)
    else { return Self.mask }
    return authority.split(separator: ".", omittingEmptySubsequences: false).map { label in
      let digits = label.count { $0.isNumber }
      let isRandom = label.count >= 20 && digits >= 4
      return isRandom || looksSecret(String(label)) ? Self.mask : String(label)
    }.joined(separator: ".")
  }

  /// A path, shortened, each segment whole or not at all.
  func path(_ path: String) -> String {
    if path.isEmpty || site.pages.contains(where: { $0.path == path }) { return path }
    if holdsSecret(path) { return "/" + Self.mask }
    let segments = path.split(
      separator: "/", maxSplits: Self.mostSegments, omittingEmptySubsequences: false)
    let shown = segments.map { value(String($0)) }.joined(separator: "/")
    return shown.count > 100 ? shown.prefix(100) + Self.mask : shown
  }

  /// A URL's query with its `?`: the names, and the value of `redirect_to` as `target` shows it.
  func query(_ query: String) -> String {
    "?" + pairs(query.dropFirst()) { $0 == "redirect_to" ? redirect($1) : Self.mask }
  }

  /// Pairs of names and values; `display` returns the shown value for a name.
  private func pairs(_ query: Substring, display: (String, String) -> String) -> String {
    let pairs = query.split(separator: "&", maxSplits: 12, omittingEmptySubsequences: false)
    let shown = pairs.prefix(12).map { (pair: Substring) -> String in
      let equals = pair.firstIndex(of: "=") ?? pair.endIndex
      let name = String(pair[..<equals])
      guard equals < pair.endIndex else { return self.name(name) }
      let value = String(pair[equals...].dropFirst())
      return self.name(name) + "=" + display(name, value)
    }
    return shown.joined(separator: "&") + (pairs.count > 12 ? "&" + Self.mask : "")
  }

  /// The value of `redirect_to`, in its original encoding where nothing is left out.
  private func redirect(_ raw: String) -> String {
    let plain = raw.decodedPercent
    let shown = target(plain)
    return shown == plain ? raw : encoded(shown)
  }

  /// A path inside the cashback web, percent-encoded as in a launch URL.
  func encodedTarget(_ path: String) -> String { encoded(target(path)) }

  private func encoded(_ shown: String) -> String {
    PercentEncoding.encoded(shown).replacing(PercentEncoding.encoded(Self.mask), with: Self.mask)
  }

  /// A path inside the cashback web: the page and its own parameters, and the names of other
  /// parameters.
  func target(_ target: String) -> String {
    guard target.utf8.first == UInt8(ascii: "/") else {
      guard let colon = target.firstRange(of: "://") else {
        return target.contains("?") || target.contains("=") ? Self.mask : value(target)
      }
      let rest = target[colon.upperBound...]
      let authority = rest.prefix { !"/?#".contains($0) }
      let path = rest[authority.endIndex...].prefix { !"?#".contains($0) }
      let more = path.endIndex < rest.endIndex ? "?" + Self.mask : ""
      let scheme = name(String(target[..<colon.lowerBound]))
      return "\(scheme)://\(host(String(authority)))\(self.path(String(path)))\(more)"
    }
    let path = target.prefix { $0 != "?" && $0 != "#" }
    let query = target[path.endIndex...].prefix { $0 != "#" }
    let fragment = query.endIndex < target.endIndex ? "#" + Self.mask : ""
    let taken = Set(site.pages.flatMap(\.parameters).map(\.name))
    let shown = pairs(query.dropFirst()) { taken.contains($0) ? value($1) : Self.mask }
    return self.path(String(path)) + (query.isEmpty ? "" : "?" + shown) + fragment
  }

  // MARK: What a secret looks like

  /// Whether it contains a secret, or a run of 16 or more letters and digits.
  private func looksSecret(_ text: String, asIdentity: Bool = false) -> Bool {
    if !asIdentity, holdsSecret(text) { return true }
    // A fast path for most words: shorter texts contain neither a run nor a key.
    guard text.utf8.count >= Self.shortestRun else { return false }
    let decoded = text.decodedPercent
    return SecretScanner.apiKeys(in: decoded.lowercased()).contains { $0.length > 12 }
      || Self.runs(in: decoded).contains { !names.contains($0) }
  }

  /// Whether it contains one of the secrets, in any escapes and case.
  private func holdsSecret(_ text: String) -> Bool {
    // Folding never makes a text longer.
    guard let shortest = foldedSecrets.shortest, shortest <= text.utf8.count else { return false }
    return foldedSecrets.isFound(in: Self.folded(text))
  }

  /// The ASCII letters and digits of a text in lower case, which escapes, `+` for blanks and the
  /// like do not change.
  private static func folded(_ text: String) -> String {
    String(
      decoding: text.decodedPercent.lowercasedASCII.utf8.filter {
        $0.isASCIIDigit || ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z"))
      }, as: UTF8.self)
  }

  private static let shortestRun = 16

  /// The runs of at least 16 ASCII letters and digits that have both.
  private static func runs(in text: String) -> [String] {
    let isAlphanumeric: (UInt8) -> Bool = { byte in
      byte.isASCIIDigit || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
    }
    return text.utf8.split { !isAlphanumeric($0) }.filter { run in
      run.count >= shortestRun && run.contains(where: \.isASCIIDigit)
        && run.contains { !$0.isASCIIDigit }
    }.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func looksLikeBase64(_ text: String) -> Bool {
    let decoded = text.decodedPercent
    guard decoded.utf8.count >= 16, decoded.utf8.contains(where: { "+/= ".utf8.contains($0) })
    else {
      return false
    }
    return decoded.utf8.contains(where: \.isASCIIDigit)
      && decoded.utf8.contains { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") }
      && decoded.utf8.allSatisfy { $0 < 0x80 }
  }

  /// The text with each `llk_…` replaced by its public ID.
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
  /// The text with its escapes decoded repeatedly, five times at most.
  var decodedPercent: String {
    var text = self
    for _ in 0..<5 where text.utf8.contains(UInt8(ascii: "%")) {
      text = String(decoding: PercentEncoding.decoded(text), as: UTF8.self).streamSafe
    }
    return text
  }
}
