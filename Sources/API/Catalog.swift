internal import Encoding
internal import Cryptography
internal import HTTPServer
internal import JSON
internal import Domain
internal import Store

/// `GET /businesses`, `/businesses/{business_id}`, `/categories` and `/pages`.
enum Catalog {
  private static let scopes: [Scope] = [.catalog, .launch, .support]

  static func businesses(_ request: Request, _ worker: Worker) throws -> Response {
    _ = try worker.authenticate(request, scopes: scopes)
    let (query, filters) = try businessQuery(request, site: worker.settings.site)
    let page = try worker.reader().representations(ofBusinesses: query) { Representation($0.json) }
    let cursor = page.next.map(Cursor.text)
    var links: [(name: String, value: String)] = []
    if let cursor {
      let query = (filters + ["cursor=\(cursor)"]).joined(separator: "&")
      links = [("Link", "</businesses?\(query)>; rel=\"next\"")]
    }
    return Response.tagged(
      Representation(of: encoded(page, cursor: cursor)), for: request, headers: links)
  }

  /// The page put together of what is remembered of each business: 50 of them took 1.1 ms as JSON values.
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

  static func business(_ request: Request, _ worker: Worker) throws -> Response {
    _ = try worker.authenticate(request, scopes: scopes)
    try request.refuseQuery()
    guard let id = request.parameter("business_id"),
      let business = try worker.reader().representation(
        ofBusiness: id, make: { Representation($0.json) })
    else {
      throw APIProblem(
        .notFound,
        "There is no such business in the catalogue. GET /businesses lists those that are.")
    }
    return Response.tagged(business, for: request)
  }

  static func categories(_ request: Request, _ worker: Worker) throws -> Response {
    _ = try worker.authenticate(request, scopes: scopes)
    try request.refuseQuery()
    return Response.tagged(
      ["items": .array(worker.settings.site.categories.map(\.json))], for: request)
  }

  static func pages(_ request: Request, _ worker: Worker) throws -> Response {
    _ = try worker.authenticate(request, scopes: scopes)
    try request.refuseQuery()
    return Response.tagged(["items": .array(worker.settings.site.pages.map(\.json))], for: request)
  }

  private static let foreignCursor = APIProblem(
    .invalidRequest,
    "The query parameter cursor is none of this list's: use next_cursor as it was given, with the "
      + "same query.")

  /// What is asked for, and the parameters that the link to the next page repeats.
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
          throw APIProblem(
            .invalidRequest,
            "The query parameter query may have \(CatalogSearch.longestText) characters at most.")
        }
        query.text = value
      case "category":
        guard site.categories.contains(where: { $0.key == value }) else {
          throw APIProblem(
            .invalidRequest,
            "The query parameter category has to be the key of a category; GET "
              + "/categories lists them.")
        }
        query.category = value
      case "active":
        guard value == "true" || value == "false" else {
          throw APIProblem(
            .invalidRequest, "The query parameter active has to be true or false.")
        }
        query.isActive = value == "true"
      case "limit":
        guard let limit = Int(value), BusinessQuery.limits.contains(limit), "\(limit)" == value
        else {
          throw APIProblem(
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

/// A place in the list of businesses as callers carry it: base64url (RFC 4648 section 5) of JSON.
enum Cursor {
  static func text(_ position: BusinessPosition) -> String {
    var parts: [JSON] = [.string(position.name), .string(position.id)]
    if let rank = position.rank { parts.append(.integer(Int64(rank.rawValue))) }
    return Base64.encode(JSON.array(parts).encoded()).replacing("+", with: "-")
      .replacing("/", with: "_").replacing("=", with: "")
  }

  static func position(_ text: String) -> BusinessPosition? {
    let standard = text.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    guard let bytes = Base64.decode(standard + padding), let json = try? JSON.parse(bytes),
      let parts = json.arrayValue, (2...3).contains(parts.count),
      let name = parts[0].stringValue, let id = parts[1].stringValue
    else { return nil }
    guard parts.count == 3 else { return BusinessPosition(name: name, id: id) }
    return parts[2].integerValue.flatMap { MatchRank(Int($0)) }.map {
      BusinessPosition(rank: $0, name: name, id: id)
    }
  }
}

extension Request {
  /// The query's parameters, each of a known name and named once; one without a value counts as absent.
  func parameters(known: [String]) throws -> [(name: String, value: String)] {
    guard let items = queryItems() else {
      throw APIProblem(
        .invalidRequest,
        "The query string cannot be read: percent-encode text as UTF-8, without NUL, "
          + "without more than 30 combining characters in a row, and with 64 parameters at most.")
    }
    var seen: Set<String> = []
    for (name, _) in items {
      guard known.contains(name) else {
        let allowed = known.isEmpty ? "none" : known.joined(separator: ", ")
        throw APIProblem(
          .invalidRequest, "The query string has an unknown parameter. Known ones: \(allowed).")
      }
      guard seen.insert(name).inserted else {
        throw APIProblem(.invalidRequest, "The query parameter \(name) stands more than once.")
      }
    }
    return items.filter { !$0.value.isEmpty }
  }

  func refuseQuery() throws {
    if query != nil { _ = try parameters(known: []) }
  }
}
