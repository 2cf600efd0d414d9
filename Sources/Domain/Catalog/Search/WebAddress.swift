/// A URL or its host, as far as it distinguishes shops.
struct WebAddress {
  /// Prefixes in which hosts of one shop differ: `www.coupang.com` and `m.coupang.com`.
  private static let prefixes = ["www.", "m.", "mobile."].map { Array($0.utf8) }
  /// Labels before a country's label in public suffixes: Korea's and the common ones.
  private static let secondLevels = [
    "co", "com", "ne", "net", "or", "org", "go", "gov", "ac", "edu", "re", "pe",
  ]
  private static let mostLabels = 10
  private static let dot = UInt8(ascii: ".")

  /// The host in lower case, without port and without `www.` and the like.
  let host: [UInt8]
  /// The path in lower case, without query, fragment and a trailing `/`.
  let path: [UInt8]

  /// - Returns: nil where the text is neither a URL nor a host of two labels or more, as a text
  ///   with a space never is.
  init?(_ text: String) {
    guard !text.utf8.contains(UInt8(ascii: " ")) else { return nil }
    var folded: [UInt8] = []
    SearchFolding.append(text, to: &folded)
    var rest = folded[...]
    var fewestLabels = 2
    if let slash = rest.firstIndex(of: UInt8(ascii: "/")),
      rest[(slash + 1)...].first == rest[slash],
      Self.isScheme(rest[..<slash])
    {
      rest = rest[(slash + 2)...]
      fewestLabels = 1
    }
    let end = rest.firstIndex(where: Self.endsAuthority) ?? rest.endIndex
    var host = rest[..<end]
    if let at = host.lastIndex(of: UInt8(ascii: "@")) { host = host[(at + 1)...] }
    if let colon = host.lastIndex(of: UInt8(ascii: ":")),
      host[(colon + 1)...].allSatisfy(\.isASCIIDigit)
    {
      host = host[..<colon]
    }
    if host.last == Self.dot { host = host.dropLast() }
    while let prefix = Self.prefixes.first(where: host.starts),
      host.dropFirst(prefix.count).contains(Self.dot)
    {
      host = host.dropFirst(prefix.count)
    }
    guard Self.isHost(host, fewestLabels: fewestLabels) else { return nil }
    self.host = Array(host)
    var path = rest[end...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    while path.last == UInt8(ascii: "/") { path = path.dropLast() }
    self.path = Array(path)
  }

  /// The host and its parent domains, except the last label: `item.a.example`, `a.example`.
  var hosts: [ArraySlice<UInt8>] {
    var hosts = [host[...]]
    while let dot = hosts.last?.firstIndex(of: Self.dot), host[(dot + 1)...].contains(Self.dot) {
      hosts.append(host[(dot + 1)...])
    }
    return hosts
  }

  /// How many labels at the end form a public suffix: one, or two as in `co.kr`; never all of them.
  static func suffixLength(of labels: [ArraySlice<UInt8>]) -> Int {
    guard let last = labels.last else { return 0 }
    let isOfCountry =
      last.count == 2 && labels.count > 1
      && secondLevels.contains { labels[labels.count - 2].elementsEqual($0.utf8) }
    return min(isOfCountry ? 2 : 1, labels.count - 1)
  }

  /// Whether `https:` or the like, or nothing, stands before `//`.
  private static func isScheme(_ text: ArraySlice<UInt8>) -> Bool {
    text.isEmpty
      || (text.last == UInt8(ascii: ":")
        && text.dropLast().allSatisfy { $0 < 0x80 && isOfLabel($0) })
  }

  private static func isHost(_ text: ArraySlice<UInt8>, fewestLabels: Int) -> Bool {
    var labels = 1
    var previous = dot
    for byte in text {
      guard byte == dot ? previous != dot : isOfLabel(byte) else { return false }
      if byte == dot { labels += 1 }
      previous = byte
    }
    return previous != dot && (fewestLabels...mostLabels).contains(labels)
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
      || byte == UInt8(ascii: "\\")
  }

  private static func isOfLabel(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte >= 0x80
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }
}

/// The addresses of the shops of a catalogue.
struct AddressIndex {
  /// The mark before each address, a byte that UTF-8 never has.
  private static let mark: UInt8 = 0xFF

  private var addresses = SearchField()
  /// The offset of each address, and its business.
  private var starts: [(offset: UInt32, business: UInt32)] = []

  mutating func append(_ address: WebAddress, ofBusiness business: Int) {
    starts.append((UInt32(addresses.bytes.count), UInt32(business)))
    addresses.append(Self.mark)
    addresses.append(contentsOf: address.host)
    addresses.append(contentsOf: address.path)
  }

  /// The businesses whose shop a pasted address leads to.
  ///
  /// Of several shops on one host, it is the one with the longest path that the pasted address
  /// begins with, or all where no path fits. A host that no shop has is treated as a subdomain of a
  /// shop's.
  func businesses(at address: WebAddress) -> [Int] {
    for host in address.hosts {
      var found: [(business: Int, path: ArraySlice<UInt8>)] = []
      var next = 0
      addresses.forEachOccurrence(of: [Self.mark] + host) { offset in
        let path = addresses.bytes[(offset + 1 + host.count)...].prefix { $0 != Self.mark }
        guard path.isEmpty || path.first == UInt8(ascii: "/") else { return }
        while starts[next].offset < offset { next += 1 }
        found.append((Int(starts[next].business), path))
      }
      guard !found.isEmpty else { continue }
      let onTheWay = found.filter { Self.leads(address.path[...], to: $0.path) }
      let longest = onTheWay.map(\.path.count).max()
      return (onTheWay.isEmpty ? found : onTheWay.filter { $0.path.count == longest })
        .map(\.business)
    }
    return []
  }

  private static func leads(_ path: ArraySlice<UInt8>, to shop: ArraySlice<UInt8>) -> Bool {
    path.starts(with: shop)
      && (path.count == shop.count || path[path.startIndex + shop.count] == UInt8(ascii: "/"))
  }
}
