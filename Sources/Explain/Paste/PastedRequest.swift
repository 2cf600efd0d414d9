internal import Domain

/// The launch request as read from a pasted text.
struct PastedRequest {
  /// The method, where the text names it.
  var method: String?
  /// The URL or a deep link, repaired only for line breaks.
  var url: String?
  /// The header fields in the order of the text.
  private(set) var headers: [(name: String, value: String)] = []
  /// Whether the headers are complete, so that an absent one is missing.
  var hasAllHeaders = false
  /// Whether the text contains other launches.
  var hasOthers = false
  /// Whether the text's form shows the beginning and end of each value, as JSON and commands do.
  var isExact = false
  /// Whether the text ends within the launch.
  var isCutOff = false
  /// Whether the text ends inside a command's quotation marks.
  var isUnclosed = false
  /// The part that the text ends in, `url` or a header's name; nil where other text follows it.
  var lastPart: String?
  /// The part that the end of the text has cut, so that its remainder tells nothing.
  var stump: String?
  /// Whether there are more headers than are read.
  var hasMoreHeaders = false
  /// The URL as written in a command that adds to its query.
  var typedURL: String?
  /// Whether only the signature can show that the reading is right.
  var isGuess = false
  /// The parts, `url` or a header's name, that may have been sent with more text than was read.
  var unsureParts: [String] = []
  /// The repairs made to the text.
  var repairs: Set<PasteCleaning.Repair> = []

  /// The headers of a bundle in the order in which they are issued.
  static let bundleHeaders = [
    "x-moment-project-id", "x-moment-web-api-key", "x-moment-user-id", "x-moment-platform",
    "signature-input", "signature",
  ]

  /// The most headers of a bundle, and of others, that are read.
  private static let mostHeaders = 64

  /// Whether a header belongs to a bundle or was meant to; its name may be in any case.
  static func isOfBundle(_ name: String) -> Bool {
    let name = name.trimmingWhiteSpace.prefix(16).lowercased()
    return ["x-moment-", "signature", "x_moment_", "xmoment"].contains { name.hasPrefix($0) }
  }

  /// Whether it has a part of a bundle.
  var hasBundle: Bool { headers.contains { Self.isOfBundle($0.name) } }

  /// All values of the field `name`, given in lower case, trimmed.
  func values(of name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// Adds headers up to the limits, and joins values that were wrapped over lines.
  mutating func take(_ found: [(name: String, value: String)]) {
    headers = []
    var counts = (bundle: 0, others: 0)
    for (name, value) in found {
      let isOfBundle = Self.isOfBundle(name)
      if isOfBundle { counts.bundle += 1 } else { counts.others += 1 }
      guard (isOfBundle ? counts.bundle : counts.others) <= Self.mostHeaders else {
        hasMoreHeaders = true
        continue
      }
      headers.append(Self.unwrapped(name: name, value: value))
    }
    restoreNames()
  }

  /// Restores names that a language's conventions have changed, such as `xMomentUserId` and
  /// `X_MOMENT_USER_ID`, if all are changed; a single one is an error.
  private mutating func restoreNames() {
    let folded: (String) -> String = { $0.lowercased().filter { $0 != "-" && $0 != "_" } }
    let names = Dictionary(uniqueKeysWithValues: Self.bundleHeaders.map { (folded($0), $0) })
    let isOwn: (String) -> Bool = { $0.contains("-") && Self.isOfBundle($0) }
    guard !headers.contains(where: { isOwn($0.name) }) else { return }
    let renamed = headers.map { header in
      (
        name: Self.isOfBundle(header.name)
          ? names[folded(header.name)] ?? header.name : header.name,
        value: header.value
      )
    }
    guard Set(renamed.map(\.name)).isSuperset(of: Self.bundleHeaders) else { return }
    headers = renamed
  }

  /// Removes the pseudo-header fields of HTTP/2, which are not headers of a request.
  mutating func dropPseudoHeaders() { headers.removeAll { $0.name.hasPrefix(":") } }

  private static func unwrapped(name: String, value: String) -> (name: String, value: String) {
    let name = name.trimmingWhiteSpace
    var value = value.trimmingWhiteSpace
    if value.utf8.contains(UInt8(ascii: "\n")) {
      value = value.filter { !$0.isWhitespace }
      // In a bundle's headers, blanks occur only between the quoted names of components.
      if name.lowercased() == "signature-input" { value.replace("\"\"", with: "\" \"") }
    }
    return (name, value)
  }

  /// Whether `other` is a different launch: it has another URL or other headers.
  func isApart(from other: PastedRequest) -> Bool {
    if url != nil, other.url != nil, url != other.url { return true }
    return hasBundle && other.hasBundle
      && !headers.elementsEqual(other.headers) { $0 == $1 }
  }

  /// The request for a verifier; nil where it has no valid URL, or where a signature field is
  /// longer than a launch's.
  var signedRequest: SignedRequest? {
    let isShort = ["signature-input", "signature"].allSatisfy { name in
      values(of: name).reduce(0) { $0 + $1.utf8.count } <= StructuredFieldReader.longestValue
    }
    guard isShort, let url else { return nil }
    return SignedRequest(method: method ?? "GET", url: url, headers: headers)
  }

  // MARK: What is there

  /// How many parts of a launch have the expected form, to rank readings.
  var wellFormedParts: Int {
    let bundle = Self.bundleHeaders.count { name in
      let values = values(of: name)
      return values.count == 1 && Self.isWellFormed(values[0], of: name)
    }
    let isURL = url.map { !$0.utf8.contains(where: Self.isForeignToURL) } ?? false
    return bundle + (isURL ? 1 : 0)
  }

  /// How many parts have the expected form, or a form in which people hide values.
  var plausibleParts: Int {
    wellFormedParts
      + Self.bundleHeaders.count { name in
        let values = values(of: name)
        return values.count == 1 && !Self.isWellFormed(values[0], of: name)
          && Masking.isMasked(values[0], as: name)
      }
  }

  private static func isForeignToURL(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "^"), UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "{"),
      UInt8(ascii: "}"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "`"), 0x80...0xFF:
      true
    default: false
    }
  }

  /// Whether every part is present and has the expected form.
  var isComplete: Bool { wellFormedParts == Self.bundleHeaders.count + 1 }

  private static func isWellFormed(_ value: String, of name: String) -> Bool {
    switch name {
    case "x-moment-project-id": ProjectID(value) != nil
    case "x-moment-platform": Platform(rawValue: value) != nil
    case "x-moment-user-id":
      LaunchIssuer.isUserID(value)
        && !value.utf8.contains { "{}[](),;\"'<>=\\`".utf8.contains($0) }
    case "x-moment-web-api-key":
      value.hasPrefix("launch-")
        ? LaunchID(String(value.dropFirst(7))) != nil : Masking.isKeyLike(value)
    case "signature": value.utf8.contains("=:".utf8) && isStructured(value)
    default: value.utf8.contains("=(".utf8) && isStructured(value)
    }
  }

  /// Whether a signature field is a structured dictionary of a plausible size.
  static func isStructured(_ value: String) -> Bool {
    value.utf8.count <= StructuredFieldReader.longestValue && StructuredDictionary(value) != nil
  }

  /// The parts of which something is hidden or omitted.
  var maskedParts: [String] {
    let names = Self.bundleHeaders.filter { name in
      values(of: name).contains { Masking.isMasked($0, as: name) }
    }
    return (isURLMasked ? ["url"] : []) + names
  }

  /// Whether a part of the URL is hidden or omitted.
  var isURLMasked: Bool {
    guard let url else { return false }
    return url.unicodeScalars.contains { $0.value > 0x7F && Masking.marks.contains($0) }
      || url.hasSuffix("...")
      || Masking.holdsPlaceholder(inURL: url)
  }
}

extension String {
  /// The text without surrounding white space.
  var trimmingWhiteSpace: String {
    guard let start = unicodeScalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let end = unicodeScalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return "" }
    return String(self[start...end])
  }
}
