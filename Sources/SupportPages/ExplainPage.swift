internal import API
internal import Domain
internal import Encoding
internal import Explain
internal import HTTPServer
internal import Store

/// The page that says what is right and what is wrong with a pasted launch.
///
/// Pasted text may hold secrets: it comes by POST, is shown to whoever pasted it, and is neither stored nor logged.
enum ExplainPage {
  static let path = "/support/explain"

  static func show(_ visit: SupportVisit) throws -> Response {
    let session = try visit.session()
    _ = try visit.query([])
    return page(visit, session, pasted: "", outcome: nil)
  }

  static func submit(_ visit: SupportVisit) throws -> Reply {
    let session = try visit.session()
    let pasted = try visit.form(["launch"])["launch"] ?? ""
    guard !pasted.trimmingBlanks.isEmpty else {
      return .now(
        page(
          visit, session, pasted: "", outcome: refusal(SupportText.explainEmpty[visit.language])))
    }
    let (explainer, now) = (Explainer(site: visit.context.settings.site), visit.context.now)
    return .later(
      visit.context.promise {
        try explainer.explain(pasted, directory: $0, at: now)
      } answer: { explanation in
        visit.answer { try outcome(explanation, of: pasted, visit, session) }
      })
  }

  private static func outcome(
    _ explanation: Result<Explanation, any Error>, of pasted: String, _ visit: SupportVisit,
    _ session: SupportSession
  ) throws -> Response {
    do {
      return page(
        visit, session, pasted: pasted, outcome: shown(try explanation.get(), visit.language))
    } catch let nothing as NothingToExplain {
      return page(
        visit, session, pasted: pasted, outcome: refusal(nothing.text(in: visit.language)))
    }
  }

  private static func page(
    _ visit: SupportVisit, _ session: SupportSession, pasted: String, outcome: HTML?
  ) -> Response {
    let language = visit.language
    // Browsers drop one line break after the start tag.
    let content: HTML = """
      <h1>\(SupportText.explainTitle[language])</h1>
      <p class="lead">\(SupportText.explainLead[language])</p>
      \(outcome)
      <form class="explain" method="post" action="\(path)">
      <label for="launch">\(SupportText.pasted[language])</label>
      <textarea id="launch" name="launch" rows="9" required spellcheck="false" autocapitalize="none" autocomplete="off" maxlength="\(Explainer.sizeLimit)">
      \(pasted)</textarea>
      <button class="button">\(SupportText.explainAction[language])</button>
      </form>
      """
    return SupportPage(
      title: SupportText.explainTitle, content: content, session: session, place: .explain
    ).response(visit)
  }

  private static func refusal(_ words: String) -> HTML {
    "<p class=\"error\" role=\"alert\">\(words)</p>"
  }

  private static func shown(_ explanation: Explanation, _ language: Language) -> HTML {
    let look: HTML =
      switch explanation.outcome {
      case .works: explanation.hasLeak ? "problem" : "good"
      case .fails: "problem"
      case .undecided, .none: explanation.hasLeak ? "problem" : "warning"
      }
    return """
      <section class="verdict \(look)" aria-labelledby="verdict">
      <h2 id="verdict">\(explanation.verdict[language])</h2>
      <ol class="findings">\(explanation.findings.map { shown($0, language) })</ol>
      </section>
      \(parts(of: explanation.parts, language))
      """
  }

  private static func shown(_ finding: Finding, _ language: Language) -> HTML {
    let (look, word): (HTML, Wording) =
      switch finding.severity {
      case .problem: ("problem", SupportText.problem)
      case .warning: ("warning", SupportText.warning)
      case .good: ("good", SupportText.good)
      }
    let advice = finding.advice(in: language).map { advice -> HTML in
      """
      <div class="advice"><p><strong>\(SupportText.tellPartner[language])</strong> <span>\(advice)</span></p><button type="button" class="copy" data-copy="\(advice)" aria-label="\(SupportText.copyLabel(SupportText.tellPartner[language])[language])">\(SupportText.copy[language])</button></div>
      """
    }
    return """
      <li class="\(look)"><p><span class="severity">\(word[language])</span> \(finding.text(in: language))</p>\(advice)</li>
      """
  }

  private static func parts(of parts: Explanation.Parts, _ language: Language) -> HTML? {
    let project = [parts.projectName, parts.projectID].compactMap { $0 }.joined(separator: " · ")
    let known: [(Wording, HTML?)] = [
      (SupportText.page, text(parts.page)),
      (SupportText.businessID, parts.businessID.map(business)),
      (SupportText.category, text(parts.category)),
      (SupportText.project, project.isEmpty ? nil : HTML.isolated(project)),
      (SupportText.platform, text(parts.platform)),
      (SupportText.user, text(parts.user)),
      (SupportText.issued, parts.issuedAt.map { HTML.time($0, withSeconds: true) }),
      (SupportText.expires, parts.expiresAt.map { HTML.time($0, withSeconds: true) }),
      (SupportText.launchID, code(parts.launchID)),
      (SupportText.signingKey, code(parts.signingKeyID)),
      (SupportText.rawRedirect, code(parts.redirectTo)),
      (SupportText.url, code(parts.url)),
    ]
    let rows = known.compactMap { name, value in
      value.map { value -> HTML in "<div><dt>\(name[language])</dt><dd>\(value)</dd></div>" }
    }
    guard !rows.isEmpty else { return nil }
    return """
      <section aria-labelledby="parts"><h2 id="parts">\(SupportText.whatItIs[language])</h2><dl>\(rows)</dl></section>
      """
  }

  private static func text(_ value: String?) -> HTML? { value.map(HTML.isolated) }

  private static func code(_ value: String?) -> HTML? {
    value.map { "<code class=\"long\">\($0)</code>" }
  }

  private static func business(_ id: String) -> HTML {
    Business.isID(id)
      ? "<a href=\"\(BusinessDetails.path(of: id))\">\(id)</a>" : HTML.isolated(id)
  }
}
