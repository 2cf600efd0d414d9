internal import API
internal import Domain
internal import Encoding
internal import Explain
internal import HTTPServer
internal import Store

/// The page of one business.
enum BusinessDetails {
  static func path(of id: String) -> String { "/support/businesses/" + id }

  static func show(_ visit: SupportVisit) throws -> Response {
    let session = try visit.session()
    _ = try visit.query([])
    guard let id = visit.request.parameter("business_id"),
      let business = try visit.context.reader().knowledge.business(id)
    else { throw SupportRefusal.page(404, SupportText.noBusiness) }
    let title = Wording(korean: business.name, english: business.name)
    return SupportPage(
      title: title, content: try content(business, visit), session: session, place: .search
    ).response(visit)
  }

  private static func content(_ business: Business, _ visit: SupportVisit) throws -> HTML {
    let language = visit.language
    let site = visit.context.settings.site
    let note: HTML? =
      business.isActive ? nil : "<p class=\"notice\">\(SupportText.inactiveNote[language])</p>"
    let aliases =
      business.aliases.isEmpty
      ? "\(SupportText.noValue[language])"
      : HTML.joined(business.aliases.map(HTML.isolated), by: ", ")
    return try """
    <p class="crumb"><a href="\(SupportPages.home)">← \(SupportText.backToSearch[language])</a></p>
    <h1>\(HTML.isolated(business.name))</h1>
    <p class="facts"><span>\(site.label(of: business))</span>\(SearchPage.state(of: business, language))</p>
    \(note)
    <p class="big-id"><span class="caption">\(SupportText.businessID[language])</span>\(HTML.copyable(business.id, what: business.id, language))</p>
    <section aria-labelledby="products">
    <h2 id="products">\(SupportText.products[language])</h2>
    \(products(of: business, language))
    </section>
    <section aria-labelledby="links">
    <h2 id="links">\(SupportText.launchURLs[language])</h2>
    <p class="hint">\(SupportText.launchURLsHint[language])</p>
    \(links(of: business, site, language))
    </section>
    <section aria-labelledby="overview">
    <h2 id="overview">\(SupportText.overview[language])</h2>
    <dl>
    \(fact(SupportText.aliases, aliases, language))
    \(fact(SupportText.programName, business.programName.map(HTML.isolated), language))
    \(fact(SupportText.website, business.url.map(HTML.link(to:)), language))
    \(fact(SupportText.image, business.imageURL.map(HTML.link(to:)), language))
    \(fact(SupportText.allowedCases, business.displayAllowedCases.map(prose), language))
    \(fact(SupportText.caution, business.displayCaution.map(prose), language))
    \(fact(SupportText.updated, HTML.time(business.updatedAt), language))
    </dl>
    </section>
    """
  }

  /// A text that keeps its line breaks.
  private static func prose(_ text: String) -> HTML {
    "<span class=\"prose\" dir=\"auto\">\(text)</span>"
  }

  private static func fact(_ name: Wording, _ value: HTML?, _ language: Language) -> HTML {
    let none: HTML = "<span class=\"quiet\">\(SupportText.noValue[language])</span>"
    return "<div><dt>\(name[language])</dt><dd>\(value ?? none)</dd></div>"
  }

  private static func products(of business: Business, _ language: Language) -> HTML {
    let rows = business.products.enumerated().map { index, product -> HTML in
      let mark: HTML? =
        index == 0 ? "<span class=\"mark\">\(SupportText.mainProduct[language])</span>" : nil
      return """
        <tr role="row">
        <td role="cell" data-label="\(SupportText.target[language])"><span>\(HTML.isolated(product.target ?? "—"))\(mark)</span></td>
        <td role="cell" data-label="\(SupportText.commission[language])"><span>\(SearchPage.commission(of: product, language))</span></td>
        <td role="cell" data-label="\(SupportText.commissionType[language])"><span>\(product.commissionType.rawValue)</span></td>
        <td role="cell" data-label="\(SupportText.period[language])"><span>\(period(of: product, language))</span></td>
        </tr>
        """
    }
    return """
      <table role="table">
      <thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">\(SupportText.target[language])</th><th role="columnheader" scope="col">\(SupportText.commission[language])</th><th role="columnheader" scope="col">\(SupportText.commissionType[language])</th><th role="columnheader" scope="col">\(SupportText.period[language])</th></tr></thead>
      <tbody role="rowgroup">
      \(rows)
      </tbody>
      </table>
      """
  }

  private static func period(of product: Product, _ language: Language) -> HTML {
    switch (product.startsAt, product.endsAt) {
    case (let start?, let end?): "\(HTML.time(start)) – \(HTML.time(end))"
    case (let start?, nil): "\(SupportText.from(start.inKorea)[language])"
    case (nil, let end?): "\(SupportText.until(end.inKorea)[language])"
    case (nil, nil): "\(SupportText.anyTime[language])"
    }
  }

  private static func links(of business: Business, _ site: Site, _ language: Language) throws
    -> HTML
  {
    let links = try site.launchLinks(ofBusiness: business.id)
    let rows = links.map { link -> HTML in
      """
      <div><dt>\(link.upstream) · \(link.page)</dt><dd>\(HTML.copyable(link.url, what: "\(SupportText.launchURL[language]) \(link.upstream) \(link.page)", language))</dd></div>
      """
    }
    let raw = links.first.map { link -> HTML in
      """
      <div><dt>\(SupportText.rawPath[language])</dt><dd>\(HTML.copyable(link.redirectTo, what: "redirect_to", language))</dd></div>
      """
    }
    return "<dl class=\"links\">\(rows)\(raw)</dl>"
  }
}

extension HTML {
  static func joined(_ parts: [HTML], by separator: HTML) -> HTML {
    var result = HTML.empty
    for (index, part) in parts.enumerated() {
      if index > 0 { result += separator }
      result += part
    }
    return result
  }

  /// A time in Korean time for people, and in UTC for programs.
  static func time(_ time: Timestamp, withSeconds: Bool = false) -> HTML {
    let shown = withSeconds ? time.inKoreaToTheSecond : time.inKorea
    return "<time datetime=\"\(time.description)\">\(shown)</time>"
  }
}
