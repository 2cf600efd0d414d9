/// A request as a gateway saw it, with the bundle among its headers.
public struct SignedRequest: Sendable {
  /// The method, as sent.
  public let method: String
  /// The header fields, as sent.
  public let headers: [(name: String, value: String)]
  let url: URLParts
  /// The indices of each field's values in `headers`: searching all headers for every covered
  /// component would take quadratic time.
  private let places: [String: Places]

  /// Splits a request; nil where `url` is not such a URL.
  ///
  /// - Parameters:
  ///   - method: such as `GET`.
  ///   - url: absolute, `https` or `http`, exactly as requested.
  ///   - headers: names in any case; blanks around values are ignored.
  public init?(method: String, url: String, headers: [(name: String, value: String)]) {
    guard let parts = URLParts(url) else { return nil }
    self.method = method
    self.url = parts
    self.headers = headers.map { name, value in
      (name.lowercasedASCII, String(value.trimmingBlanks()))
    }
    var places = [String: Places](minimumCapacity: headers.count)
    for (place, header) in self.headers.enumerated() {
      places[header.name, default: Places()].add(place)
    }
    self.places = places
  }

  /// Every value of the field `name`, given in lower case.
  public func values(of name: String) -> [String] {
    places[name]?.all.map { headers[$0].value } ?? []
  }

  /// How many values the field `name`, given in lower case, has.
  func count(of name: String) -> Int {
    places[name]?.count ?? 0
  }

  /// The first value of the field `name`, given in lower case.
  func firstValue(of name: String) -> String? {
    places[name]?.first.map { headers[$0].value }
  }

  /// The indices of one field; there is rarely more than one.
  private struct Places {
    private(set) var first: Int?
    private var others: [Int] = []

    mutating func add(_ place: Int) {
      if first == nil { first = place } else { others.append(place) }
    }

    var count: Int { first == nil ? 0 : others.count + 1 }
    var all: [Int] { (first.map { [$0] } ?? []) + others }
  }

  /// The value of a derived component in a signature base (RFC 9421 section 2.2).
  public func derived(_ component: String) -> String? {
    switch component {
    case "@method": method
    case "@authority": url.authority
    case "@path": url.path
    case "@query": url.query
    case "@scheme": url.scheme
    case "@target-uri": "\(url.scheme)://\(url.authority)\(url.requestTarget)"
    case "@request-target": url.requestTarget
    default: nil
    }
  }
}

extension String {
  /// Without the spaces and tabs around it (OWS, RFC 9110 section 5.6.3).
  fileprivate func trimmingBlanks() -> Substring {
    let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    guard let start = utf8.firstIndex(where: { !isBlank($0) }),
      let end = utf8.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return self[start...end]
  }
}
