internal import Domain
internal import Encoding

/// Likely originals of a launch: it undoes the errors that apps, libraries and proxies are known to
/// make.
struct PlausibleOriginals {
  private static let headers = [
    "x-moment-project-id", "x-moment-web-api-key", "x-moment-user-id", "x-moment-platform",
  ]

  /// The most projects that are tried; each costs a key derivation and an HMAC.
  private static let mostProjects = 200

  let site: Site
  let signature: ReceivedSignature
  /// The received values by component.
  let values: [String: String]
  let project: Project?
  let webAPIKey: String?
  let redaction: Redaction
  /// All projects.
  let knownProjects: [ProjectID]

  /// All likely changes, the likeliest first.
  func alterations(suggestions: (String) throws -> [String]) rethrows -> [Alteration] {
    try queries(suggestions) + webAPIKeys + platforms + methods + paths + authorities + userIDs
      + projectIDs + swaps + parameters
  }

  private func value(_ component: String) -> String { values[component] ?? "" }

  /// The changes of one component, without those that change nothing.
  private func changes(
    of component: String, _ part: Wording,
    to originals: [(value: String, how: () -> Wording)]
  ) -> [Alteration] {
    var seen: Set<[UInt8]> = [Array(value(component).utf8)]
    return originals.filter { seen.insert(Array($0.value.utf8)).inserted }.map { original, how in
      Alteration([component: original], part: part, how: how)
    }
  }

  /// The original and the present value, as far as `display` shows them.
  private func replaced(
    _ original: String, by present: String, display: ((String) -> String)? = nil
  ) -> () -> Wording {
    let display = display ?? redaction.value
    return {
      let (original, present) = (display(original), display(present))
      return Wording(
        korean: "발급될 때는 ‘\(original)’였는데 지금은 ‘\(present)’입니다.",
        english: "It was ‘\(original)’ when issued and is ‘\(present)’ now.")
    }
  }

  // MARK: The request line

  private var methods: [Alteration] {
    changes(
      of: "@method", Wording(korean: "요청 메서드", english: "the method"),
      to: [("GET", replaced("GET", by: value("@method")))])
  }

  private var authorities: [Alteration] {
    let known = site.upstreams.values.map(\.authority).sorted()
    return changes(
      of: "@authority", Wording(korean: "호스트", english: "the host"),
      to: known.map { ($0, replaced($0, by: value("@authority"), display: redaction.host)) })
  }

  private var paths: [Alteration] {
    let known = site.upstreams.values.map(\.path).sorted()
    return changes(
      of: "@path", Wording(korean: "URL 경로", english: "the path of the URL"),
      to: known.map { ($0, replaced($0, by: value("@path"), display: redaction.path)) })
  }

  private func queries(_ suggestions: (String) throws -> [String]) rethrows -> [Alteration] {
    let query = value("@query")
    let part = Wording(
      korean: "URL의 쿼리(redirect_to)", english: "the query of the URL (redirect_to)")
    guard let start = query.firstRange(of: "redirect_to=") else {
      let whole = lostTargets.map { target -> (value: String, how: () -> Wording) in
        let original = Self.query(of: target)
        return (original, { lost(redaction.query(original)) })
      }
      return changes(of: "@query", part, to: whole + [("?", added(query))])
    }
    let rest = String(query[start.upperBound...])
    let first = String(rest.prefix { $0 != "&" })
    var originals: [(value: String, how: () -> Wording)] = [
      ("?redirect_to=" + first, added(query))
    ]
    for target in try targets(of: [rest, first], suggestions) {
      let original = Self.query(of: target)
      originals.append((original, replaced(original, by: query, display: redaction.query)))
    }
    originals.append(("?", added(query)))
    return changes(of: "@query", part, to: originals)
  }

  private static func query(of target: String) -> String {
    "?redirect_to=" + PercentEncoding.encoded(target)
  }

  /// The paths that may have been launched where the path is lost.
  private var lostTargets: [String] {
    site.pages.filter { page in !page.parameters.contains(where: \.isRequired) }.flatMap { page in
      let takesCategory = page.parameters.contains { $0.kind == .category }
      return [page.path]
        + (takesCategory ? site.categories : []).map { category in
          "\(page.path)?category=\(PercentEncoding.innerValue(category.label))"
        }
    }
  }

  /// The likely originals of the paths `raws`, each once; none is longer than a launch's.
  private func targets(
    of raws: [String], _ suggestions: (String) throws -> [String]
  ) rethrows -> [String] {
    var seen: Set<[UInt8]> = []
    let spaced = raws.flatMap { [$0, $0.replacing("+", with: "%20")] }
    let all = spaced.flatMap(levels).filter { level in
      level.utf8.count <= RedirectCheck.longest && seen.insert(Array(level.utf8)).inserted
    }
    return try all.flatMap { level in
      let shortened = level.hasSuffix("/") ? [String(level.dropLast())] : []
      return [level] + shortened + (try businesses(near: level, suggestions))
    }
  }

  private func lost(_ original: String) -> Wording {
    Wording(
      korean: "redirect_to가 사라졌습니다. 발급될 때는 ‘\(original)’였습니다.",
      english: "redirect_to was lost. It was ‘\(original)’ when issued.")
  }

  private func added(_ query: String) -> () -> Wording {
    {
      let query = redaction.query(query)
      return Wording(
        korean: "URL에 파라미터가 덧붙여졌습니다(현재 ‘\(query)’).",
        english: "Something was added to the URL, which has ‘\(query)’ now.")
    }
  }

  private func levels(of raw: String) -> [String] {
    var levels = [raw]
    while levels.count < 6, let last = levels.last,
      let text = PercentEncoding.decodedText(last), text != last
    {
      levels.append(text)
    }
    return levels
  }

  private func businesses(
    near path: String, _ suggestions: (String) throws -> [String]
  ) rethrows -> [String] {
    guard let range = path.firstRange(of: "business_id=") else { return [] }
    let id = String(path[range.upperBound...].prefix { $0 != "&" && $0 != "#" })
    guard id.utf8.count <= 64 else { return [] }
    let others = [id.lowercased()] + (try suggestions(id))
    return others.map { path.replacing("business_id=\(id)", with: "business_id=\($0)") }
  }

  // MARK: Headers

  private func header(_ name: String) -> Wording {
    Wording(korean: "\(name) 헤더", english: "the header \(name)")
  }

  private var webAPIKeys: [Alteration] {
    let name = "x-moment-web-api-key"
    let standIn = Wording(
      korean:
        "발급된 임시 값(launch-…)이 다른 값으로 바뀌었습니다. 앱에 넣어 둔 Web API Key나 다른 실행의 값으로 덮어쓴 것으로 보입니다.",
      english:
        "The stand-in (launch-…) that was issued is replaced by another value, such as a Web "
        + "API Key kept in the app or the value of another launch.")
    var originals: [(value: String, how: () -> Wording)] = [
      ("launch-\(signature.nonce)", { standIn })
    ]
    if let webAPIKey {
      let real = Wording(
        korean: "발급된 실제 Web API Key가 다른 값으로 바뀌었습니다.",
        english: "The real Web API Key that was issued is replaced by another value.")
      originals.append((webAPIKey, { real }))
    }
    return changes(of: name, header(name), to: originals)
  }

  private var platforms: [Alteration] {
    let name = "x-moment-platform"
    return changes(
      of: name, header(name),
      to: Platform.allCases.map { ($0.rawValue, replaced($0.rawValue, by: value(name))) })
  }

  private var userIDs: [Alteration] {
    let name = "x-moment-user-id"
    let user = value(name)
    let encoded = Wording(
      korean: "사용자 ID가 URL 인코딩되었습니다.", english: "The user id was percent-encoded.")
    let decoded = Wording(
      korean: "사용자 ID가 디코딩되었습니다.", english: "The user id was percent-decoded.")
    let quoted = Wording(
      korean: "사용자 ID의 앞뒤에 따옴표나 공백이 붙었습니다.",
      english: "Quotation marks or blanks were put around the user id.")
    let cased = Wording(
      korean: "사용자 ID의 대소문자가 바뀌었습니다.",
      english: "Capital and small letters of the user id were changed.")
    let unwrapped = user.filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" }
    return changes(
      of: name, header(name),
      to: [
        (String(decoding: PercentEncoding.decoded(user), as: UTF8.self), { encoded }),
        (PercentEncoding.encoded(user), { decoded }), (unwrapped, { quoted }),
        (user.replacing(" ", with: "+"), { decoded }), (user.uppercased(), { cased }),
        (user.lowercased(), { cased }),
      ])
  }

  private var projectIDs: [Alteration] {
    let name = "x-moment-project-id"
    let cleaned = value(name).lowercased().filter { $0.isHexDigit }
    let isPublic = knownProjects.contains { $0.description == cleaned }
    let display: (String) -> String = { text in
      isPublic && text == cleaned ? text : redaction.value(text)
    }
    return changes(
      of: name, header(name),
      to: [(cleaned, replaced(cleaned, by: value(name), display: display))])
  }

  /// The ID of another project in place of the present one, for a limited number of projects.
  var otherProjects: [Alteration] {
    let name = "x-moment-project-id"
    let present = value(name)
    let shown = redaction.value(present)
    return changes(
      of: name, header(name),
      to: knownProjects.prefix(Self.mostProjects).map { id in
        (
          id.description,
          {
            Wording(
              korean: "발급된 프로젝트는 \(id)인데 지금은 ‘\(shown)’입니다.",
              english: "It was issued for the project \(id) and names ‘\(shown)’ now.")
          }
        )
      })
  }

  /// Two headers with their values swapped.
  private var swaps: [Alteration] {
    var swaps: [Alteration] = []
    for (index, first) in Self.headers.enumerated() {
      for second in Self.headers[(index + 1)...] where value(first) != value(second) {
        let part = Wording(
          korean: "\(first) 헤더와 \(second) 헤더", english: "the headers \(first) and \(second)")
        let how = Wording(
          korean: "두 헤더의 값이 서로 바뀌었습니다.", english: "Their values are swapped.")
        swaps.append(
          Alteration([first: value(second), second: value(first)], part: part) { how })
      }
    }
    return swaps
  }

  // MARK: Parameters of the signature

  private var parameters: [Alteration] {
    let issued = signature.nonce.milliseconds / 1000
    let lifetimes = [project?.ttl, 300].compactMap(\.self).map(Int64.init)
    let times = [signature.created, issued].flatMap { created in
      [(created, signature.expires)] + lifetimes.map { (created, created + $0) }
    }
    let components = signature.components.map { "\"\($0)\"" }.joined(separator: " ")
    let part = Wording(korean: "signature-input 헤더", english: "the header signature-input")
    var seen: Set<String> = [signature.parameters]
    return times.compactMap { created, expires in
      let text =
        "(\(components));created=\(created);expires=\(expires);nonce=\"\(signature.nonce)\""
        + ";alg=\"\(BundleSignature.algorithm)\";keyid=\"\(signature.keyID)\""
        + ";tag=\"\(BundleSignature.tag)\""
      guard seen.insert(text).inserted else { return nil }
      let areTimesSame = created == signature.created && expires == signature.expires
      let how =
        areTimesSame
        ? Wording(
          korean: "내용은 같지만 공백이나 순서가 바뀌었습니다.",
          english: "It says the same in other spacing or order.")
        : Wording(
          korean: "발급 또는 만료 시각이 고쳐졌습니다.",
          english: "The time of issue or expiry was changed.")
      return Alteration([:], parameters: text, part: part) { how }
    }
  }
}
