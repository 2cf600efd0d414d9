internal import Cryptography
internal import Domain
internal import Encoding
internal import HTTPServer
internal import JSON
internal import Store

/// `GET /businesses`, `/businesses/{business_id}`, `/categories` and `/pages`.
enum Catalog {
  private static let scopes: [Scope] = [.catalog, .launch, .support]

  static func businesses(_ request: Request, _ context: RequestContext) throws -> Reply {
    _ = try context.authenticate(request, scopes: scopes)
    let (query, filters) = try businessQuery(request, site: context.settings.site)
    return try context.searching(query) { knowledge in
      try knowledge.representations(ofBusinesses: query) { Representation($0.json) }
    } answer: { page in
      context.answer(request) { answer(try page.get(), filters: filters, to: request) }
    }
  }

  private static func answer(
    _ page: BusinessPage<Representation>, filters: [String], to request: Request
  ) -> Response {
    let cursor = page.next.map(Cursor.text)
    var links: [(name: String, value: String)] = []
    if let cursor {
      let query = (filters + ["cursor=\(cursor)"]).joined(separator: "&")
      links = [("Link", "</businesses?\(query)>; rel=\"next\"")]
    }
    return Response.tagged(
      Representation(of: encoded(page, cursor: cursor)), for: request, headers: links)
  }

  /// The page, composed of each business's remembered bytes: encoding 50 JSON values took 1.1 ms.
  private static func encoded(
    _ page: BusinessPage<Representation>, cursor: String?
  ) -> [UInt8] {
    let size = page.items.reduce(0) { $0 + $1.body.count + 1 }
    var output = ByteWriter(capacity: size + 128)
    output.append("{\"items\":[")
    for (index, item) in page.items.enumerated() {
      if index > 0 { output.append(",") }
      output.append(item.body)
    }
    output.append("],\"next_cursor\":")
    output.append(JSON(cursor).encoded())
    output.append(",\"total\":")
    output.append(decimal: Int64(page.total))
    output.append("}")
    return output.array
  }

  static func business(_ request: Request, _ context: RequestContext) throws -> Response {
    _ = try context.authenticate(request, scopes: scopes)
    try request.refuseQuery()
    guard let id = request.parameter("business_id"),
      let business = try context.reader().knowledge.representation(
        ofBusiness: id, make: { Representation($0.json) })
    else {
      throw Problem(
        .notFound,
        "There is no such business in the catalogue. GET /businesses lists those that are.")
    }
    return Response.tagged(business, for: request)
  }

  static func categories(_ request: Request, _ context: RequestContext) throws -> Response {
    _ = try context.authenticate(request, scopes: scopes)
    try request.refuseQuery()
    return Response.tagged(
      ["items": .array(context.settings.site.categories.map(\.json))], for: request)
  }

  static func pages(_ request: Request, _ context: RequestContext) throws -> Response {
    _ = try context.authenticate(request, scopes: scopes)
    try request.refuseQuery()
    return Response.tagged(["items": .array(context.settings.site.pages.map(\.json))], for: request)
  }

  private static let foreignCursor = Problem(
    .invalidRequest,
    "The query parameter cursor is not from this list: use next_cursor as it was given, with the "
      + "same query.")

  /// The query, and the parameters that the link to the next page repeats.
  private static func businessQuery(
    _ request: Request, site: Site
  ) throws -> (query: BusinessQuery, filters: [String]) {
    var query = BusinessQuery()
    var filters: [String] = []
    let parameters = try request.parameters(known: [
      "query", "category", "active", "limit", "cursor",
    ])
    for (name, value) in parameters {
      switch name {
      case "query":
        guard value.unicodeScalars.count <= CatalogSearch.longestText else {
          throw Problem(
            .invalidRequest,
            "The query parameter query may have \(CatalogSearch.longestText) characters at most.")
        }
        query.text = value
      case "category":
        guard site.categories.contains(where: { $0.key == value }) else {
          throw Problem(
            .invalidRequest,
            "The query parameter category has to be the key of a category; GET "
              + "/categories lists them.")
        }
        query.category = value
      case "active":
        guard value == "true" || value == "false" else {
          throw Problem(
            .invalidRequest, "The query parameter active has to be true or false.")
        }
        query.isActive = value == "true"
      case "limit":
        guard let limit = Int(value), BusinessQuery.limits.contains(limit), "\(limit)" == value
        else {
          throw Problem(
            .invalidRequest,
            "The query parameter limit has to be a whole number from "
              + "\(BusinessQuery.limits.lowerBound) to \(BusinessQuery.limits.upperBound).")
        }
        query.limit = limit
      default:
        query.after = Cursor.position(value)
        guard query.after != nil else { throw foreignCursor }
        continue
      }
      filters.append("\(name)=\(value.percentEncoded)")
    }
    if let after = query.after, (after.rank != nil) != query.isSearch { throw foreignCursor }
    return (query, filters)
  }
}
