internal import Domain

/// Checks the URL.
extension Diagnosis {
  /// The most parameters beside `redirect_to` that are named; others are counted.
  private static var mostStrangers: Int { 5 }

  mutating func checkURL() throws {
    guard let url = pasted.url else {
      add(.missingURL)
      return
    }
    // Hidden text is not a fault of the launch.
    guard isVouched || !pasted.isURLMasked, pasted.stump != "url" else { return }
    guard let address = URLParts(url) else {
      add(.deepLink)
      let query = url.firstIndex(of: "?").map { url[url.index(after: $0)...] } ?? ""
      try checkQuery(query)
      return
    }
    checkAddress(address)
    try checkQuery(address.query.dropFirst())
  }

  /// Whether the request goes to LaunchLink itself, at any address and below any path.
  var isCallToLaunchLink: Bool {
    guard let url = pasted.url.flatMap(URLParts.init),
      !site.upstreams.values.contains(where: { $0.authority == url.authority })
    else { return false }
    return ["/launch", "/launch/batch", "/launch/revoke", "/verify"]
      .contains { url.path.hasSuffix($0) }
  }

  private mutating func checkAddress(_ url: URLParts) {
    let named = site.upstreams.sorted { $0.key < $1.key }
    let own = project.flatMap { project in
      site.upstreams[project.upstream].map { (project.upstream, $0) }
    }
    let reached = named.first { $0.value.authority == url.authority }
    guard let reached else {
      let known = (own.map { [$0.1] } ?? named.map(\.value)).map(\.authority)
      let like =
        known.first { url.authority.contains($0) }
        ?? nearest(to: url.authority, in: known, limit: 1).first
      add(.wrongHost(redaction.host(url.authority), like: like))
      return
    }
    if let own, own.1.authority != url.authority {
      add(
        .wrongUpstream(
          url.authority, named: reached.key, expected: own.1.authority, expectedName: own.0))
    }
    let scheme = reached.value.baseURL.hasPrefix("http://") ? "http" : "https"
    if url.scheme != scheme { add(.wrongScheme(url.scheme, expected: scheme)) }
    if url.path != reached.value.path {
      add(.wrongPath(redaction.path(url.path), expected: reached.value.path))
    }
  }

  private mutating func checkQuery(_ query: Substring) throws {
    let pairs = query.split(separator: "&").map { pair in
      let equals = pair.firstIndex(of: "=") ?? pair.endIndex
      return (name: String(pair[..<equals]), value: String(pair[equals...].dropFirst()))
    }
    guard let first = pairs.firstIndex(where: { $0.name == "redirect_to" }) else {
      if let stranger = pairs.first {
        let isMeant = !nearest(to: stranger.name, in: ["redirect_to", "redirectTo"]).isEmpty
        let name = redaction.name(stranger.name)
        add(
          isMeant
            ? .missingRedirect(found: name) : .misplacedParameters([name], more: pairs.count - 1))
      } else if !hasProblemOfURL {
        add(.rightURL(nil, detail: nil))
      }
      return
    }
    var value = pairs[first].value
    let others = pairs.enumerated().filter { $0.offset != first }.map(\.element)
    if others.contains(where: { $0.name == "redirect_to" }) { add(.doubledRedirect) }
    if value.utf8.first == UInt8(ascii: "/") {
      // Since nothing is encoded, the text after an & belongs to the path too.
      for pair in pairs[(first + 1)...] where pair.name != "redirect_to" {
        value += "&\(pair.name)=\(pair.value)"
      }
    } else {
      let strangers = others.map(\.name).filter { $0 != "redirect_to" }
      if !strangers.isEmpty {
        let shown = strangers.prefix(Self.mostStrangers).map(redaction.name)
        add(.misplacedParameters(shown, more: strangers.count - shown.count))
      }
    }
    try checkRedirect(value)
  }

  private mutating func checkRedirect(_ raw: String) throws {
    let check = RedirectCheck(site: site, directory: directory)
    let reading = try RedirectReading(raw) {
      if case .success = try check.page(of: $0) { true } else { false }
    }
    parts.redirectTo = reading.intended
    let expected = redaction.encodedTarget(reading.intended)
    if !reading.isUTF8 || reading.intended.unicodeScalars.contains("\u{FFFD}") {
      add(.notUTF8)
      return
    }
    if reading.times == 0 {
      add(.notEncoded(expected: expected))
    } else if reading.times > 1 {
      add(.doubleEncoded(reading.times, expected: expected))
    } else if reading.isPartlyDoubled {
      add(.doubleEncoded(nil, expected: expected))
    }
    if reading.hasPlus, !isVouched { add(.plusForSpace(expected: expected)) }
    if reading.hasBrokenEscape {
      add(.brokenEscape)
    } else if reading.times == 1, !reading.isPartlyDoubled, !reading.hasPlus,
      raw != reading.expected,
      !isVouched
    {
      add(.otherEncoding(expected: expected, severity: pasted.hasBundle ? .problem : .warning))
    }
    let page = try checkDestination(reading.intended)
    if let page, !hasProblemOfURL {
      let detail = parts.businessID ?? parts.category
      add(.rightURL(page.name, detail: detail))
    }
  }

  /// Whether a fault of the URL was found already.
  private var hasProblemOfURL: Bool {
    let codes = Finding.Code.allCases
    let ofURL: (Finding) -> Bool = { finding in
      guard let index = codes.firstIndex(of: finding.code),
        let start = codes.firstIndex(of: .wrongHost), let end = codes.firstIndex(of: .wrongPath)
      else { return false }
      return (start...end).contains(index)
    }
    return findings.contains { $0.severity == .problem && ofURL($0) }
  }

  // MARK: The page

  private mutating func checkDestination(_ path: String) throws -> Page? {
    let end = path.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    let page = site.page(at: path[..<(end ?? path.endIndex)])
    parts.page = page?.name
    var values: [Page.Parameter.Kind: String] = [:]
    if let page, let end {
      let query = path[end...].dropFirst().prefix { $0 != "#" }
      for pair in query.split(separator: "&") {
        let equals = pair.firstIndex(of: "=") ?? pair.endIndex
        let name = PercentEncoding.formDecoded(pair[..<equals].utf8)
        guard let parameter = page.parameters.first(where: { $0.name == name }) else { continue }
        values[parameter.kind] = PercentEncoding.formDecoded(pair[equals...].dropFirst().utf8)
      }
    }
    parts.businessID = values[.business]
    parts.category = values[.category]
    guard
      case .failure(let fault) = try RedirectCheck(site: site, directory: directory).page(of: path)
    else { return page }
    add(finding(of: fault, path: path, page: page, values: values))
    return nil
  }

  private func finding(
    of fault: FieldFault, path: String, page: Page?, values: [Page.Parameter.Kind: String]
  ) -> Finding {
    switch fault.code {
    case .unknownPage:
      return .unknownPage(
        redaction.target(String(path.prefix { $0 != "?" })), near: fault.suggestions)
    case .missingParameter:
      let name = page?.parameters.first { $0.isRequired }?.name ?? ""
      return .missingParameter(name, page: page?.name ?? "")
    case .duplicateParameter:
      return .duplicateParameter(page?.parameters.map(\.name).joined(separator: ", ") ?? "")
    case .unknownBusiness:
      return .unknownBusiness(
        redaction.value(values[.business] ?? ""), near: fault.suggestions)
    case .inactiveBusiness:
      return .inactiveBusiness(redaction.value(values[.business] ?? ""))
    case .unknownCategory:
      let value = values[.category] ?? ""
      guard let label = site.label(ofCategory: value) else {
        let labels = fault.suggestions.compactMap(site.label(ofCategory:))
        return .unknownCategory(redaction.value(value), near: labels)
      }
      return site.categories.contains { $0.key == value }
        ? .categoryKey(value, label: label) : .decomposedCategory(label)
    default:
      return .invalidRedirect(redaction.target(path))
    }
  }
}
