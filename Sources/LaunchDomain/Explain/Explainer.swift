/// Says in plain words what is right and wrong with a launch that someone pasted.
public struct Explainer: Sendable {
  /// Bytes that a pasted text may have at the most.
  public static let sizeLimit = 64 << 10

  private let site: Site

  /// Makes an explainer for `site`.
  public init(site: Site) {
    self.site = site
  }

  /// Explains a launch URL.
  ///
  /// - Parameters:
  ///   - pasted: the text, at most `sizeLimit` bytes; blanks around do not count.
  ///   - directory: where projects, keys and businesses are looked up.
  ///   - now: the time that lifetimes are judged at.
  /// - Returns: what is right and wrong.
  /// - Throws: `NothingToExplain`, or the directory's own error.
  public func explain(
    _ pasted: String, directory: some ExplanationDirectory, at now: Timestamp
  ) throws -> Explanation {
    guard pasted.utf8.count <= Self.sizeLimit,
      let url = URLParts(String(pasted.drop { $0.isWhitespace }))
    else {
      throw NothingToExplain(
        Wording(
          korean: "실행 URL을 찾지 못했습니다. https:// 로 시작하는 URL 전체를 붙여 넣어 주세요.",
          english: "There is no launch URL in it. Paste a whole URL that begins with https://."))
    }
    let isKnown = site.upstreams.values.contains { $0.authority == url.authority }
    return Explanation(
      findings: [isKnown ? .rightHost(url.authority) : .wrongHost(url.authority)],
      parts: Explanation.Parts())
  }
}

extension Finding {
  fileprivate static func rightHost(_ host: String) -> Finding {
    Finding(
      .good, .rightURL,
      Wording(korean: "호스트 \(host)이(가) 올바릅니다.", english: "The host \(host) is right."))
  }

  fileprivate static func wrongHost(_ host: String) -> Finding {
    Finding(
      .problem, .wrongHost,
      Wording(
        korean: "호스트 \(host)은(는) 캐시백 웹의 호스트가 아닙니다.",
        english: "The host \(host) is not one of the cashback web."),
      advice: Wording(
        korean: "POST /launch가 돌려준 url을 그대로 사용해 주세요.",
        english: "Use the url that POST /launch answered, to the letter."))
  }
}
