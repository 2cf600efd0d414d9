public import Domain
internal import Encoding
internal import UnicodeText

/// Explains in plain words what is right and wrong with a pasted launch.
public struct Explainer: Sendable {
  /// The most bytes of a pasted text.
  public static let sizeLimit = 64 << 10

  private let site: Site

  /// Makes an explainer for `site`.
  public init(site: Site) {
    self.site = site
  }

  /// Explains a launch URL, the headers of a launch, a `curl` command or any mix of them, or an
  /// answer in the place of a launch: a problem document, a code, a request ID.
  ///
  /// Headers may be JSON (an object, an answer of `POST /launch`, a body of `POST /verify`), lines,
  /// a printed map, or part of prose. The explanation contains no secret of theirs. The time is
  /// linear in the length of the text.
  ///
  /// - Parameters:
  ///   - pasted: the text, at most `sizeLimit` bytes.
  ///   - directory: where projects, keys and businesses are looked up.
  ///   - now: the time for which lifetimes are checked.
  /// - Returns: what is right and wrong.
  /// - Throws: `NothingToExplain`, or the directory's own error.
  public func explain(
    _ pasted: String, directory: some ExplanationDirectory, at now: Timestamp
  ) throws -> Explanation {
    guard pasted.utf8.count <= Self.sizeLimit else { throw NothingToExplain.tooLong }
    let cleaning = PasteCleaning(pasted.streamSafe)
    let readings = PasteReader(site: site).readings(of: cleaning.text)
    var request = try rightReading(of: readings, directory: directory, at: now)
    request?.repairs.formUnion(cleaning.repairs)
    let answer = PastedAnswer(reading: cleaning.text)
    // A link to an issue or a log beside a code is not a launch.
    if let read = request, !read.hasBundle, !read.hasAllHeaders, let url = read.url,
      URLScanner.isUnrelated(url, site: site)
    {
      request = nil
    }
    // A key sent alone is still a leak.
    guard
      request != nil || !answer.isEmpty || PastedJSON.isLaunchRequest(cleaning.text)
        || !SecretScanner.apiKeys(in: cleaning.text).isEmpty
    else {
      throw cleaning.text.trimmingWhiteSpace.isEmpty
        ? NothingToExplain.empty : NothingToExplain.notUnderstood
    }
    var diagnosis = try Diagnosis(
      site: site, directory: directory, now: now, text: cleaning.text, pasted: request,
      answer: answer)
    return try diagnosis.explanation()
  }

  /// The reading that the signature fits, preferably one that leaves nothing out, or else the one
  /// with the most plausible parts; nil where there is none.
  private func rightReading(
    of readings: [PastedRequest], directory: some ExplanationDirectory, at now: Timestamp
  ) throws -> PastedRequest? {
    let verifier = BundleVerifier(site: site)
    var fitting: PastedRequest?
    for reading in readings {
      guard let request = reading.signedRequest,
        try verifier.verify(request, directory: directory, at: now).isAuthentic
      else { continue }
      if reading.unsureParts.isEmpty { return reading }
      fitting = fitting ?? reading
    }
    if let fitting { return fitting }
    let likely = readings.filter { !$0.isGuess }
    let most = likely.map(\.plausibleParts).max()
    guard var reading = likely.first(where: { $0.plausibleParts == most }) else { return nil }
    // A URL whose quotation mark is not closed may have been cut.
    if reading.isUnclosed, reading.lastPart == "url" {
      reading.isCutOff = true
      reading.stump = "url"
    }
    return reading
  }
}

extension NothingToExplain {
  private static let expected = Wording(
    korean:
      "실행 URL(https://…/main?redirect_to=…), 헤더(JSON 또는 ‘이름: 값’ 줄), curl 또는 PowerShell 명령 전체, 오류 응답이나 오류 코드 중 하나를 붙여 넣어 주세요.",
    english: "Paste a launch URL (https://…/main?redirect_to=…), headers (as JSON or as lines of "
      + "`name: value`), a whole command of curl or PowerShell, or the error that was answered.")

  static let empty = NothingToExplain(
    Wording(
      korean: "내용이 비어 있습니다. " + expected[.korean],
      english: "There is nothing in it. " + expected[.english]))

  static let notUnderstood = NothingToExplain(
    Wording(
      korean: "실행 URL이나 헤더, 알려진 오류 코드를 찾지 못했습니다. " + expected[.korean],
      english: "There is no launch URL, no header of a launch and no known error in it. "
        + expected[.english]))

  static let tooLong = NothingToExplain(
    Wording(
      korean: "내용이 너무 깁니다(최대 64KiB). 실패한 요청 하나만 붙여 넣어 주세요.",
      english: "The text is too long, over 64 KiB. Paste one failed request only."))
}
