internal import Domain

/// Distinguishes a URL that the end of the text has cut from a wrong one.
extension Diagnosis {
  /// The least length of an identifier that tells what it was a prefix of.
  private static var shortestID: Int { 3 }

  /// Whether the text ends in the URL, and the URL is a proper prefix of a launch's.
  ///
  /// - Throws: the directory's own error.
  func isURLStump() throws -> Bool {
    guard pasted.lastPart == "url", let url = pasted.url, !pasted.isURLMasked,
      let scheme = url.firstRange(of: "://")
    else { return false }
    let address = url[scheme.upperBound...]
    guard let hostEnd = address.firstIndex(where: { "/?".contains($0) }) else {
      return site.upstreams.values.contains { $0.authority.hasPrefix(address.lowercased()) }
    }
    let host = address[..<hostEnd].lowercased()
    guard let upstream = site.upstreams.values.first(where: { $0.authority == host }) else {
      return false
    }
    let target = address[hostEnd...]
    guard let queryStart = target.firstIndex(of: "?") else {
      return upstream.path.hasPrefix(target) && upstream.path != target
    }
    let query = target[queryStart...].dropFirst()
    guard target[..<queryStart] == upstream.path, !query.contains("&"), !query.isEmpty else {
      return false
    }
    guard let equals = query.firstIndex(of: "=") else { return "redirect_to".hasPrefix(query) }
    guard query[..<equals] == "redirect_to" else { return false }
    return try isStump(redirect: query[equals...].dropFirst())
  }

  private func isStump(redirect raw: Substring) throws -> Bool {
    // A cut escape, and then a cut character of several bytes.
    let escape = raw.utf8.suffix(2).lastIndex(of: UInt8(ascii: "%"))
    let whole = String(raw[..<(escape ?? raw.endIndex)])
    let bytes = PercentEncoding.decoded(whole)
    let text = (0...3).lazy.compactMap { String(validating: bytes.dropLast($0), as: UTF8.self) }
      .first
    guard let text else { return false }
    let isCut = escape != nil || text.utf8.count < bytes.count
    if text.isEmpty { return true }
    // An error in the prefix is an error whatever followed.
    guard whole.utf8.starts(with: PercentEncoding.encoded(text).utf8) else { return false }
    guard let end = text.firstIndex(of: "?") else {
      let isWhole = site.page(at: text[...]) != nil
      return (isCut || !isWhole)
        && site.pages.contains {
          $0.path.hasPrefix(text) && ($0.path != text || !$0.parameters.isEmpty)
        }
    }
    guard let page = site.page(at: text[..<end]) else { return false }
    let parameter = text[end...].dropFirst()
    guard let equals = parameter.firstIndex(of: "="), !parameter.contains("&") else {
      return !parameter.contains("&") && page.parameters.contains { $0.name.hasPrefix(parameter) }
    }
    guard let known = page.parameters.first(where: { $0.name == parameter[..<equals] }) else {
      return false
    }
    let value = PercentEncoding.formDecoded(parameter[equals...].dropFirst().utf8)
    return try isCut || value.isEmpty || isStump(value, of: known.kind)
  }

  private func isStump(_ value: String, of kind: Page.Parameter.Kind) throws -> Bool {
    switch kind {
    case .business:
      guard case .unknown(let nearest) = try directory.standing(ofBusiness: value) else {
        return false
      }
      return value.utf8.count < Self.shortestID || nearest.contains { $0.hasPrefix(value) }
    case .category:
      return site.categories.contains { $0.label.hasPrefix(value) && $0.label != value }
    }
  }
}
