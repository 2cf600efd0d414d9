internal import Foundation

/// The configured cashback web: its upstreams, pages and categories.
///
/// It is immutable. It is a class because each launch passes it on several times, and a copy of a
/// struct would retain each of its parts.
public final class Site: Sendable {
  /// By name, such as `production`.
  public let upstreams: [String: Upstream]
  /// The pages that may be launched, in the order in which they are shown.
  public let pages: [Page]
  /// The categories, in the order in which they are shown.
  public let categories: [Category]
  /// The scheme of the partner app's own links, such as `moment`.
  public let deepLinkScheme: String

  /// The upstreams as a list: among a few, a linear search is faster than hashing.
  private let upstreamList: [(name: String, upstream: Upstream)]
  private let pagesByPath: [String: Page]
  private let labelsByKey: [String: String]
  private let labels: [String: String]

  /// Makes a site; of several pages or categories of one name the first counts.
  public init(
    upstreams: [String: Upstream], pages: [Page], categories: [Category], deepLinkScheme: String
  ) {
    self.upstreams = upstreams
    self.pages = pages
    self.categories = categories
    self.deepLinkScheme = deepLinkScheme
    upstreamList = upstreams.map { ($0.key, $0.value) }
    pagesByPath = Dictionary(pages.map { ($0.path, $0) }) { first, _ in first }
    labelsByKey = Dictionary(categories.map { ($0.key, $0.label) }) { first, _ in first }
    labels = Dictionary(categories.map { ($0.label, $0.label) }) { first, _ in first }
  }

  /// The upstream that a project's users are sent to.
  ///
  /// - Throws: `UnknownUpstream` where the configuration has no such upstream.
  public func upstream(of project: Project) throws(UnknownUpstream) -> Upstream {
    for (name, upstream) in upstreamList where name == project.upstream { return upstream }
    throw UnknownUpstream(name: project.upstream, known: upstreams.keys.sorted())
  }

  /// The authority of a project's upstream; nil where the configuration has no such upstream.
  func authority(of project: Project) -> String? {
    upstreamList.first { $0.name == project.upstream }?.upstream.authority
  }

  /// The page that requests call `name`.
  public func page(named name: String) -> Page? {
    pages.first { $0.name == name }
  }

  /// The page at `path`, compared as bytes: Swift's `==` takes `K` and the Kelvin sign for equal.
  public func page(at path: Substring) -> Page? {
    pagesByPath[String(path)].flatMap { $0.path.utf8.elementsEqual(path.utf8) ? $0 : nil }
  }

  /// The label of the category that `text` names by its key or its label, composed or not.
  public func label(ofCategory text: String) -> String? { labelsByKey[text] ?? labels[text] }

  /// Whether `text` is a category's label, compared as bytes.
  func isLabel(_ text: String) -> Bool {
    labels[text].map { $0.utf8.elementsEqual(text.utf8) } ?? false
  }
}

/// An installation of the cashback web.
public final class Upstream: Sendable {
  /// Scheme, host, port and path of the launch page, such as `https://cashback.example/main`.
  public let baseURL: String
  /// Host in lower case, with the port where it is not the scheme's own (RFC 9421 section 2.2.3).
  public let authority: String
  /// The launch page's path, such as `/main`.
  public let path: String
  /// Scheme and host of each origin that stays inside the web view.
  public let internalOrigins: [String]

  /// Takes `baseURL` where it is an `https` or `http` URL with a path and nothing after it.
  ///
  /// Host and path may hold only what every gateway passes on unchanged: some refuse an encoded
  /// slash, and a comma looks like a repeated header.
  ///
  /// - Parameters:
  ///   - baseURL: ASCII, without credentials, query, fragment and trailing slash; the path, where
  ///     there is one, as `Page.isPath(_:)` says.
  ///   - internalOrigins: such as `https://cashback.example`; empty means the base URL's own.
  public init?(baseURL: String, internalOrigins: [String] = []) {
    guard let parts = URLParts(baseURL), !baseURL.hasSuffix("/"),
      parts.authority.utf8.allSatisfy(Self.isAuthorityByte), parts.query == "?",
      parts.path == "/" || Page.isPath(parts.path)
    else { return nil }
    self.baseURL = baseURL
    authority = parts.authority
    path = parts.path
    self.internalOrigins =
      internalOrigins.isEmpty ? ["\(parts.scheme)://\(parts.authority)"] : internalOrigins
  }

  private static func isAuthorityByte(_ byte: UInt8) -> Bool {
    byte != UInt8(ascii: "~")
      && (PercentEncoding.isUnreserved(byte) || "[]:".utf8.contains(byte))
  }
}

/// A page of the cashback web that may be launched.
public final class Page: Sendable {
  /// A parameter that the page takes.
  public struct Parameter: Sendable, Equatable {
    /// What a parameter's values name.
    public enum Kind: String, Sendable, CaseIterable {
      /// One of the site's categories.
      case category
      /// The identifier of a business of the catalogue.
      case business = "business_id"
    }

    /// What its values are; its name in requests and URLs is the raw value.
    public let kind: Kind
    /// Whether the page needs it.
    public let isRequired: Bool

    /// Makes a parameter.
    public init(_ kind: Kind, isRequired: Bool) {
      self.kind = kind
      self.isRequired = isRequired
    }

    /// The name in requests and URLs.
    public var name: String { kind.rawValue }
  }

  /// The name in requests, such as `program`.
  public let name: String
  /// The path inside the cashback web, such as `/cashback/detail`; unreserved ASCII and slashes.
  public let path: String
  /// What it takes, each name once.
  public let parameters: [Parameter]

  /// Makes a page; nil where `path` is none, see `isPath(_:)`.
  public init?(name: String, path: String, parameters: [Parameter] = []) {
    guard Self.isPath(path) else { return nil }
    self.name = name
    self.path = path
    self.parameters = parameters
  }

  /// Whether `path` can be that of a page: `/` and segments of unreserved ASCII, no dot segment.
  public static func isPath(_ path: String) -> Bool {
    let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard segments.count >= 2, segments[0].isEmpty else { return false }
    return segments.dropFirst().allSatisfy { segment in
      !segment.isEmpty && segment.allSatisfy(PercentEncoding.isUnreserved)
        && !segment.elementsEqual(".".utf8) && !segment.elementsEqual("..".utf8)
    }
  }
}

extension String {
  /// The text in Unicode Normalization Form C; ASCII text is returned as it is.
  public var normalizedNFC: String {
    // Characters below U+0300 and Hangul syllables do not compose with one another.
    let isComposed = unicodeScalars.allSatisfy {
      $0.value < 0x300 || (0xAC00...0xD7A3).contains($0.value)
    }
    return isComposed ? self : precomposedStringWithCanonicalMapping
  }
}
