/// Checks a raw `redirect_to` and never rewrites it (openapi.yaml, `POST /launch`).
public struct RedirectCheck {
  /// The most bytes that a `redirect_to` may have.
  public static var longest: Int { 2048 }

  private let site: Site
  private let directory: any BusinessDirectory

  /// Makes a check against a site's pages and the businesses of a directory.
  public init(site: Site, directory: any BusinessDirectory) {
    self.site = site
    self.directory = directory
  }

  /// The page that `raw` launches, or the first fault of `raw`.
  ///
  /// - Throws: the directory's own error.
  public func page(of raw: String) throws -> Result<Page, FieldFault> {
    if let fault = faultOfWhole(raw) { return .failure(fault) }
    let text = raw.utf8
    let pathEnd =
      text.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? text.endIndex
    let path = raw[..<pathEnd]
    // A known page's path has none of the faults below, so only an unknown path is checked for
    // them.
    guard let page = site.page(at: path) else {
      if let objection = objection(toPath: path.utf8) { return .failure(refusal(objection)) }
      return .failure(
        FieldFault(
          "redirect_to", .unknownPage,
          "The path is none of the pages. GET /pages lists them; the path has to match to the letter.",
          suggestions: nearest(to: String(path), in: site.pages.map(\.path))))
    }
    guard !page.parameters.isEmpty,
      let fault = try fault(ofQuery: query(of: raw, from: pathEnd), page: page)
    else { return .success(page) }
    return .failure(fault)
  }

  // MARK: The whole text

  private func faultOfWhole(_ raw: String) -> FieldFault? {
    if isAlreadyEncoded(raw.utf8) {
      return FieldFault(
        "redirect_to", .redirectAlreadyEncoded,
        "redirect_to is percent-encoded already. Send it raw, such as /cashback/detail?business_id=11st: "
          + "it is encoded here, once.")
    }
    if raw.utf8.isEmpty {
      return refusal("redirect_to is empty. Leave it out to launch the start page.")
    }
    if raw.utf8.count > Self.longest {
      return refusal("redirect_to is longer than \(Self.longest) bytes. Shorten it.")
    }
    if raw.unicodeScalars.contains(where: \.isControl) {
      return refusal("redirect_to holds a control character or line break. Remove it.")
    }
    if let first = raw.unicodeScalars.first, let last = raw.unicodeScalars.last,
      first.properties.isWhitespace || last.properties.isWhitespace
    {
      return refusal("redirect_to begins or ends with a space. Trim it.")
    }
    return nil
  }

  private func refusal(_ detail: String) -> FieldFault {
    FieldFault("redirect_to", .invalidRedirect, detail)
  }

  /// Whether the text begins with a slash that was encoded, once (`%2F`) or more often (`%252F`).
  private func isAlreadyEncoded(_ text: String.UTF8View) -> Bool {
    guard text.first == UInt8(ascii: "%") else { return false }
    var rest = text.dropFirst()
    while rest.starts(with: "25".utf8) { rest = rest.dropFirst(2) }
    return rest.first == UInt8(ascii: "2") && isLetterF(rest.dropFirst().first)
  }

  private func isLetterF(_ byte: UInt8?) -> Bool {
    byte == UInt8(ascii: "F") || byte == UInt8(ascii: "f")
  }

  // MARK: The path

  private func objection(toPath path: Substring.UTF8View) -> String? {
    guard path.first == UInt8(ascii: "/") else {
      return "redirect_to has to begin with one slash, such as /cashback: no scheme and no host."
    }
    let text = Array(String(decoding: path, as: UTF8.self).lowercased().utf8)
    if text.contains(UInt8(ascii: "\\")) || text.contains("%5c".utf8) {
      return "The path of redirect_to holds a backslash. Use slashes."
    }
    if text.contains("//".utf8) {
      return "The path of redirect_to holds two slashes in a row. Use one."
    }
    if text.contains("%2f".utf8) {
      return "The path of redirect_to holds an encoded slash (%2F). Send it raw."
    }
    let isDotSegment: (ArraySlice<UInt8>) -> Bool = { segment in
      let plain = segment.replacing("%2e".utf8, with: ".".utf8)
      return plain.elementsEqual(".".utf8) || plain.elementsEqual("..".utf8)
    }
    if text.split(separator: UInt8(ascii: "/")).contains(where: isDotSegment) {
      return "The path of redirect_to holds a dot segment (. or ..). Write the page's own path."
    }
    return nil
  }

  // MARK: The query

  private func query(of raw: String, from pathEnd: String.Index) -> Substring {
    guard pathEnd < raw.utf8.endIndex, raw.utf8[pathEnd] == UInt8(ascii: "?") else { return "" }
    let rest = raw[raw.utf8.index(after: pathEnd)...]
    return rest.utf8.firstIndex(of: UInt8(ascii: "#")).map { rest[..<$0] } ?? rest
  }

  private func fault(ofQuery query: Substring, page: Page) throws -> FieldFault? {
    var found = Array(repeating: String?.none, count: page.parameters.count)
    for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
      let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      let name = PercentEncoding.formDecoded(pair[..<equals])
      guard let index = page.parameters.firstIndex(where: { $0.name == name }) else { continue }
      guard found[index] == nil else {
        return FieldFault(
          "redirect_to", .duplicateParameter,
          "redirect_to names \(name) more than once. Name it once.")
      }
      found[index] = PercentEncoding.formDecoded(pair[equals...].dropFirst())
    }
    for (parameter, value) in zip(page.parameters, found) {
      if let fault = try fault(of: parameter, value: value, page: page) { return fault }
    }
    return nil
  }

  private func fault(
    of parameter: Page.Parameter, value: String?, page: Page
  ) throws -> FieldFault? {
    guard let value, !value.isEmpty || !parameter.isRequired else {
      guard parameter.isRequired else { return nil }
      return FieldFault(
        "redirect_to", .missingParameter,
        "\(page.path) needs \(parameter.name). Add ?\(parameter.name)=… to redirect_to.")
    }
    switch parameter.kind {
    case .category:
      return site.isLabel(value) ? nil : site.unknownCategory(value, field: "redirect_to")
    case .business:
      return try directory.fault(ofBusiness: value, field: "redirect_to")
    }
  }
}
