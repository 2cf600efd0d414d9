internal import Domain

/// The launch request that could be read out of a pasted text.
struct PastedRequest {
  /// The method, where the text names it.
  var method: String?
  /// The URL, or a deep link; nothing in it is repaired but line breaks.
  var url: String?
  /// Header fields in the order in which they were found.
  private(set) var headers: [(name: String, value: String)] = []
  /// Whether the headers are all that the request has, so that one that is not there is missing.
  var hasAllHeaders = false
  /// Whether other launches were there besides.
  var hasOthers = false
  /// Whether the text's form says where each value begins and ends, as JSON and commands do.
  var isExact = false
  /// Whether the text ends in the middle of the launch.
  var isCutOff = false
  /// Whether the text ends inside of a command's quotation marks.
  var isUnclosed = false
  /// The part, `url` or a header's name, that the text ends in; nil where something stands behind it.
  var lastPart: String?
  /// The part that the text's end has cut, so that what is left of it tells nothing.
  var stump: String?
  /// Whether there were more headers than are read.
  var hasMoreHeaders = false
  /// The URL as it stands in a command that puts more into its query.
  var typedURL: String?
  /// Whether nothing but the signature can show that the reading is right.
  var isGuess = false
  /// The parts, `url` or a header's name, that may have been sent with more than was read of them.
  var unsureParts: [String] = []
  /// What was put right in the text.
  var repairs: Set<PasteCleaning.Repair> = []

  /// The headers of a bundle, in the order in which they are given out.
  static let bundleHeaders = [
    "x-moment-project-id", "x-moment-web-api-key", "x-moment-user-id", "x-moment-platform",
    "signature-input", "signature",
  ]

  /// Headers of a bundle, and others, that are read at the most.
  private static let mostHeaders = 64

  /// Whether a header, its name in any case, belongs to a bundle or was meant to.
  static func isOfBundle(_ name: String) -> Bool {
    let name = name.trimmingWhiteSpace.prefix(16).lowercased()
    return ["x-moment-", "signature", "x_moment_", "xmoment"].contains { name.hasPrefix($0) }
  }

  /// Whether there is anything of a bundle.
  var hasBundle: Bool { headers.contains { Self.isOfBundle($0.name) } }

  /// Every value of the field `name`, given in lower case, without blanks around.
  func values(of name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// Takes headers, a limited number of a bundle's and of others, and joins values that were wrapped
  /// over lines.
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

  /// Gives the headers their names where a language's rules for names changed all of them, as in
  /// `xMomentUserId` and `X_MOMENT_USER_ID`; one alone is a fault.
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

  /// Leaves the pseudo-header fields of HTTP/2 out, which no request has among its headers.
  mutating func dropPseudoHeaders() { headers.removeAll { $0.name.hasPrefix(":") } }

  private static func unwrapped(name: String, value: String) -> (name: String, value: String) {
    let name = name.trimmingWhiteSpace
    var value = value.trimmingWhiteSpace
    if value.utf8.contains(UInt8(ascii: "\n")) {
      value = value.filter { !$0.isWhitespace }
      // The only blanks of a bundle's headers stand between the quoted names of components.
      if name.lowercased() == "signature-input" { value.replace("\"\"", with: "\" \"") }
    }
    return (name, value)
  }

  /// Whether the other is a launch of its own: another URL, or other headers.
  func isApart(from other: PastedRequest) -> Bool {
    if url != nil, other.url != nil, url != other.url { return true }
    return hasBundle && other.hasBundle
      && !headers.elementsEqual(other.headers) { $0 == $1 }
  }

  /// The request as a verifier judges it; nil where there is no such URL, or where a signature field
  /// is longer than any launch's.
  var signedRequest: SignedRequest? {
    let isShort = ["signature-input", "signature"].allSatisfy { name in
      values(of: name).reduce(0) { $0 + $1.utf8.count } <= StructuredFieldReader.longestValue
    }
    guard isShort, let url else { return nil }
    return SignedRequest(method: method ?? "GET", url: url, headers: headers)
  }

  // MARK: What is there

  /// How many parts of a launch have the look that they have to have, a reading's worth.
  var wellFormedParts: Int {
    let bundle = Self.bundleHeaders.count { name in
      let values = values(of: name)
      return values.count == 1 && Self.isWellFormed(values[0], of: name)
    }
    let isURL = url.map { !$0.utf8.contains(where: Self.isForeignToURL) } ?? false
    return bundle + (isURL ? 1 : 0)
  }

  /// How many parts look as they have to, or as what a person hides.
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

  /// Whether every part is there and looks as it has to.
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

  /// Whether a signature field can be read: a structured dictionary of a size that one has.
  static func isStructured(_ value: String) -> Bool {
    value.utf8.count <= StructuredFieldReader.longestValue && StructuredDictionary(value) != nil
  }

  /// The parts of the launch of which something was hidden or left out.
  var maskedParts: [String] {
    let names = Self.bundleHeaders.filter { name in
      values(of: name).contains { Masking.isMasked($0, as: name) }
    }
    return (isURLMasked ? ["url"] : []) + names
  }

  /// Whether something of the URL was hidden or left out.
  var isURLMasked: Bool {
    guard let url else { return false }
    return url.unicodeScalars.contains { $0.value > 0x7F && Masking.marks.contains($0) }
      || url.hasSuffix("...")
      || Masking.holdsPlaceholder(inURL: url)
  }
}

extension String {
  /// Without white space around.
  var trimmingWhiteSpace: String {
    guard let start = unicodeScalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let end = unicodeScalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return "" }
    return String(self[start...end])
  }
}
