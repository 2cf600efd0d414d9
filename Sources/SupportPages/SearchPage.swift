internal import API
internal import Domain
internal import Encoding
internal import Explain
internal import HTTPServer
internal import Store

/// The page that finds businesses.
enum SearchPage {
  private static let pageSize = 25

  static func show(_ visit: SupportVisit) throws -> Reply {
    let session = try visit.session()
    let filters = try Filters(visit)
    var query = BusinessQuery()
    query.text = filters.text
    query.category = filters.category
    query.isActive = filters.isActive
    query.limit = pageSize
    query.after = filters.position
    // A cursor of search results is invalid in the list, and the other way round.
    if let after = query.after, (after.rank != nil) != query.isSearch {
      throw SupportRefusal.page(400, SupportText.badRequest)
    }
    return try visit.context.searching(query) { [query] in
      try $0.businesses(query)
    } answer: { found in
      visit.answer {
        let content = try content(try found.get(), filters, visit)
        return SupportPage(
          title: SupportText.findBusiness, content: content, session: session, place: .search
        ).response(visit)
      }
    }
  }

  private static func content(
    _ found: BusinessPage<FoundBusiness>, _ filters: Filters, _ visit: SupportVisit
  ) throws -> HTML {
    let language = visit.language
    return try """
    <h1>\(SupportText.findBusiness[language])</h1>
    <form class="search" id="search" method="get" action="\(SupportPages.home)" role="search" data-failed="\(SupportText.searchFailed[language])">
    <div class="field query">
    <label for="query">\(SupportText.query[language])</label>
    <input id="query" name="query" type="search" value="\(filters.text)" placeholder="\(SupportText.queryExample[language])" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="\(CatalogSearch.longestText)" aria-keyshortcuts="/" autofocus>
    <kbd aria-hidden="true">/</kbd>
    </div>
    <div class="field">
    <label for="category">\(SupportText.category[language])</label>
    <select id="category" name="category">
    \(option("", SupportText.allCategories[language], isChosen: filters.category == nil))
    \(visit.context.settings.site.categories.map { option($0.key, $0.label, isChosen: filters.category == $0.key) })
    </select>
    </div>
    <div class="field">
    <label for="active">\(SupportText.state[language])</label>
    <select id="active" name="active">
    \(option("", SupportText.anyState[language], isChosen: filters.isActive == nil))
    \(option("true", SupportText.active[language], isChosen: filters.isActive == true))
    \(option("false", SupportText.inactive[language], isChosen: filters.isActive == false))
    </select>
    </div>
    <button class="button">\(SupportText.search[language])</button>
    </form>
    <h2 class="unseen">\(SupportText.results[language])</h2>
    <p class="count" id="count" role="status" aria-live="polite">\(summary(of: found)[language])</p>
    <div id="results">
    \(found.items.isEmpty ? nothing(filters, language) : list(found, visit))
    \(links(found, filters, language))
    </div>
    """
  }

  /// How many businesses were found, and whether they are guesses.
  private static func summary(of found: BusinessPage<FoundBusiness>) -> Wording {
    if found.total == 0 { return SupportText.nothingFound }
    return found.items.first?.match == .near
      ? SupportText.guesses(found.total) : SupportText.count(found.total)
  }

  private static func option(_ value: String, _ text: String, isChosen: Bool) -> HTML {
    let mark: HTML = isChosen ? " selected" : ""
    return "<option value=\"\(value)\"\(mark)>\(text)</option>"
  }

  private static func list(_ found: BusinessPage<FoundBusiness>, _ visit: SupportVisit) throws
    -> HTML
  {
    let language = visit.language
    // Screen readers get the headings in each row, everybody else in this line.
    return try """
    <div class="results">
    <div class="heads" aria-hidden="true"><span>\(SupportText.name[language])</span><span>\(SupportText.businessID[language])</span><span>\(SupportText.commission[language])</span></div>
    <ul>\(found.items.map { try row($0, visit) })</ul>
    </div>
    """
  }

  private static func row(_ found: FoundBusiness, _ visit: SupportVisit) throws -> HTML {
    let language = visit.language
    let site = visit.context.settings.site
    let business = found.business
    let link = try site.launchLinks(ofBusiness: business.id).first
    let matched = found.match.flatMap(SupportText.name(of:))
    let reason = matched.map { words -> HTML in "<span class=\"match\">\(words[language])</span>" }
    return """
      <li>
      <div class="name">
      <h3><a href="\(BusinessDetails.path(of: business.id))">\(HTML.isolated(business.name))</a></h3>
      <p class="facts"><span>\(site.label(of: business))</span>\(state(of: business, language))\(reason)</p>
      </div>
      <div class="id"><span class="unseen">\(SupportText.businessID[language])</span>\(HTML.copyable(business.id, what: business.id, language))</div>
      <div class="rate"><span class="unseen">\(SupportText.commission[language])</span>\(business.products.first.map { commission(of: $0, language) })</div>
      <div class="link"><span class="unseen">\(SupportText.launchURL[language])</span>\(link.map { HTML.copyable($0.url, what: SupportText.launchURL[language] + " " + business.id, language) })</div>
      </li>
      """
  }

  /// The state, shown by word and by colour.
  static func state(of business: Business, _ language: Language) -> HTML {
    business.isActive
      ? "<span class=\"state on\">\(SupportText.active[language])</span>"
      : "<span class=\"state off\">\(SupportText.inactive[language])</span>"
  }

  static func commission(of product: Product, _ language: Language) -> HTML {
    """
    <span class="amount"><strong>\(SupportText.amount(product.commission)[language])</strong> <span class="basis">\(SupportText.name(of: product.commissionType)[language])</span></span>
    """
  }

  private static func nothing(_ filters: Filters, _ language: Language) -> HTML {
    if filters.isEmpty {
      return """
        <div class="empty"><p class="lead">\(SupportText.emptyCatalog[language])</p><p>\(SupportText.emptyCatalogHint[language])</p></div>
        """
    }
    let hints = SupportText.searchHints.map { hint -> HTML in "<li>\(hint[language])</li>" }
    var unfiltered = filters
    (unfiltered.category, unfiltered.isActive, unfiltered.cursor) = (nil, nil, nil)
    let clear: HTML? =
      filters.hasChoices
      ? "<p><a href=\"\(unfiltered.path)\">\(SupportText.clearFilters[language])</a></p>" : nil
    let words =
      filters.text.isEmpty ? SupportText.nothingFound : SupportText.nothingMatches(filters.text)
    return """
      <div class="empty"><p class="lead">\(words[language])</p><ul>\(hints)</ul>\(clear)</div>
      """
  }

  private static func links(
    _ found: BusinessPage<FoundBusiness>, _ filters: Filters, _ language: Language
  ) -> HTML? {
    guard found.next != nil || filters.cursor != nil else { return nil }
    var first = filters
    first.cursor = nil
    var next = filters
    next.cursor = found.next.map(Cursor.text)
    let back: HTML? =
      filters.cursor == nil
      ? nil
      : "<a class=\"button quiet\" href=\"\(first.path)\">\(SupportText.toStart[language])</a>"
    let on: HTML? =
      found.next == nil
      ? nil
      : "<a class=\"button quiet next\" rel=\"next\" href=\"\(next.path)\">\(SupportText.next[language])</a>"
    return "<nav class=\"paging\" aria-label=\"\(SupportText.pages[language])\">\(back)\(on)</nav>"
  }
}

/// The parameters of the search page's address.
private struct Filters {
  var text: String
  var category: String?
  var isActive: Bool?
  var cursor: String?
  let position: BusinessPosition?

  /// Reads the query, and refuses what the form cannot have sent.
  init(_ visit: SupportVisit) throws {
    let fields = try visit.query(["query", "category", "active", "cursor"])
    let refusal = SupportRefusal.page(400, SupportText.badRequest)
    text = fields["query"] ?? ""
    guard text.unicodeScalars.count <= CatalogSearch.longestText else { throw refusal }
    if let key = fields["category"], !key.isEmpty {
      guard visit.context.settings.site.categories.contains(where: { $0.key == key }) else {
        throw refusal
      }
      category = key
    }
    switch fields["active"] ?? "" {
    case "": isActive = nil
    case "true": isActive = true
    case "false": isActive = false
    default: throw refusal
    }
    cursor = fields["cursor"].flatMap { $0.isEmpty ? nil : $0 }
    position = cursor.flatMap(Cursor.position)
    if cursor != nil, position == nil { throw refusal }
  }

  var isEmpty: Bool { text.trimmingBlanks.isEmpty && !hasChoices && cursor == nil }
  var hasChoices: Bool { category != nil || isActive != nil }

  /// The address with these parameters.
  var path: String {
    var parameters: [String] = []
    if !text.isEmpty { parameters.append("query=" + text.percentEncoded) }
    if let category { parameters.append("category=" + category.percentEncoded) }
    if let isActive { parameters.append("active=\(isActive)") }
    if let cursor { parameters.append("cursor=" + cursor.percentEncoded) }
    return SupportPages.home + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
  }
}

extension Site {
  /// The label of a business's category, or its key if the configuration has no such category.
  func label(of business: Business) -> String {
    categories.first { $0.key == business.category }?.label ?? business.category
  }
}
