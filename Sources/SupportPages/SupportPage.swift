internal import API
internal import Domain
internal import Encoding
internal import Explain
internal import HTTPServer

/// The frame of a support page around its content.
struct SupportPage {
  /// A place in the main navigation.
  enum Place {
    case search
    case explain
    case statistics
  }

  let title: Wording
  let content: HTML
  /// Whoever is signed in; nil shows the frame without navigation.
  let session: SupportSession?
  var place: Place?

  func response(
    _ visit: SupportVisit, status: Int = 200, headers: [(name: String, value: String)] = []
  ) -> Response {
    Response(
      status: status,
      headers: [
        ("Content-Type", "text/html; charset=utf-8"), ("Content-Language", visit.language.rawValue),
        ("Vary", "Accept-Language"),
      ] + SupportPages.headers + headers,
      body: Array(document(in: visit.language).text.utf8))
  }

  private func document(in language: Language) -> HTML {
    """
    <!doctype html>
    <html lang="\(language.rawValue)">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(title[language]) · \(SupportText.product[language])</title>
    <link rel="icon" href="\(SupportAssets.icon.path)" type="image/svg+xml">
    <link rel="stylesheet" href="\(SupportAssets.style.path)">
    <script src="\(SupportAssets.script.path)" defer></script>
    </head>
    <body data-copied="\(SupportText.copied[language])" data-copy-failed="\(SupportText.copyFailed[language])">
    <a class="skip" href="#content">\(SupportText.skip[language])</a>
    <header class="top">
    <div class="bar">
    <a class="brand" href="\(SupportPages.home)"><img src="\(SupportAssets.icon.path)" alt="" width="26" height="26"><span>\(SupportText.product[language])</span></a>
    \(session.map { navigation($0, language) })
    </div>
    </header>
    <main id="content" tabindex="-1">
    \(content)
    </main>
    <p id="announcement" class="unseen" role="status" aria-live="polite"></p>
    </body>
    </html>
    """
  }

  private func navigation(_ session: SupportSession, _ language: Language) -> HTML {
    let name = session.key.name.isEmpty ? session.key.id.description : session.key.name
    return """
      <nav aria-label="\(SupportText.navigation[language])">
      \(link(to: SupportPages.home, SupportText.search, isHere: place == .search, language))
      \(link(to: ExplainPage.path, SupportText.explain, isHere: place == .explain, language))
      \(link(to: StatisticsPage.path, SupportText.statistics, isHere: place == .statistics, language))
      </nav>
      <form class="account" method="post" action="\(SignInPage.outPath)">
      <span class="who" title="\(session.key.id.description)"><span class="unseen">\(SupportText.signedInWith[language]) </span>\(name)</span>
      <button class="plain">\(SupportText.signOut[language])</button>
      </form>
      """
  }

  private func link(
    to path: String, _ text: Wording, isHere: Bool, _ language: Language
  ) -> HTML {
    let mark: HTML = isHere ? " aria-current=\"page\"" : ""
    return "<a href=\"\(path)\"\(mark)>\(text[language])</a>"
  }
}

extension HTML {
  /// A text of the catalogue, which may run in another direction than the page.
  static func isolated(_ text: String) -> HTML { "<bdi>\(text)</bdi>" }

  /// A text with a button that copies it.
  static func copyable(_ text: String, what: String, _ language: Language) -> HTML {
    """
    <span class="copyable"><code>\(text)</code><button type="button" class="copy" data-copy="\(text)" aria-label="\(SupportText.copyLabel(what)[language])">\(SupportText.copy[language])</button></span>
    """
  }

  /// A link out of the support pages, or the bare text if it is not an http or https URL.
  static func link(to url: String) -> HTML {
    let lowered = url.lowercased()
    guard lowered.hasPrefix("https://") || lowered.hasPrefix("http://") else { return "\(url)" }
    return "<a href=\"\(url)\" rel=\"noreferrer noopener external\">\(url)</a>"
  }
}
