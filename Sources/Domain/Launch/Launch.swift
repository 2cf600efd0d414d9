internal import Cryptography
public import JSON

/// A launch that was issued: what the app loads, and how (openapi.yaml, schema `Launch`).
///
/// It stores its parts; each text is built when it is read.
public struct Launch: Sendable {
  /// The identifier, which is the signature's nonce.
  public let id: LaunchID
  /// The name of the page that it leads to; nil for the plain base URL.
  public let page: String?
  /// The raw path that was encoded into the URL; nil for the plain base URL.
  public let redirectTo: String?
  /// When it was issued, in whole seconds.
  public let issuedAt: Timestamp
  /// From when it is refused.
  public let expiresAt: Timestamp

  /// The query of the URL; `?` alone where there is none, as RFC 9421 section 2.2.7 signs it.
  private let query: [UInt8]
  /// The cashback web that it goes to.
  public let site: Site
  /// The installation of it that the URL leads to.
  public let upstream: Upstream
  /// Whose launch it is, for whom, and where it is opened.
  public let audience: (projectID: ProjectID, userID: String, platform: Platform)
  /// The real Web API Key; nil where a stand-in is delivered.
  public let webAPIKey: String?
  private let signature: LaunchSignature

  /// Builds the URL and signs it.
  init(
    id: LaunchID, destination: Destination, issuedAt: Timestamp, expiresAt: Timestamp, site: Site,
    upstream: Upstream, audience: (ProjectID, String, Platform), webAPIKey: String?,
    signer: LaunchSigner
  ) {
    self.id = id
    page = destination.page?.name
    redirectTo = destination.path
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.site = site
    self.upstream = upstream
    self.audience = audience
    self.webAPIKey = webAPIKey
    query = Self.query(redirectTo)
    let parameters = SignatureParameters(
      created: issuedAt.seconds, expires: expiresAt.seconds, nonce: id, keyID: signer.keyID)
    var base = ByteWriter(capacity: 900 + query.count)
    Self.appendBase(
      to: &base, upstream: upstream, query: query, audience: audience, webAPIKey: webAPIKey,
      parameters: parameters)
    signature = LaunchSignature(parameters: parameters, code: signer.code(of: base))
  }

  /// Where it is opened.
  public var platform: Platform { audience.platform }

  /// Seconds from issue to expiry.
  public var expiresIn: Int { Int(expiresAt.seconds - issuedAt.seconds) }

  /// The URL to load with GET.
  public var url: String {
    text {
      $0.append(utf8: upstream.baseURL); appendSuffix(to: &$0)
    }
  }

  /// The link that opens the same page through the partner's app.
  public var deepLink: String {
    text {
      $0.append(utf8: site.deepLinkScheme); $0.append("://cashback"); appendSuffix(to: &$0)
    }
  }

  /// The headers to load it with, in the order in which they are given out.
  public var headers: [(name: String, value: String)] {
    [
      ("x-moment-project-id", audience.projectID.description),
      ("x-moment-web-api-key", text { Self.append(webAPIKey, id, to: &$0) }),
      ("x-moment-user-id", audience.userID), ("x-moment-platform", audience.platform.rawValue),
      ("signature-input", text { signature.appendInput(to: &$0, .plain) }),
      ("signature", text { signature.appendCode(to: &$0) }),
    ]
  }

  private func text(_ write: (inout ByteWriter) -> Void) -> String {
    ByteWriter.string(capacity: 512, write)
  }

  // MARK: Parts

  /// The query of the launch URL for a raw path.
  static func query(_ redirectTo: String?) -> [UInt8] {
    guard let redirectTo else { return [UInt8(ascii: "?")] }
    let longest = 3 * redirectTo.utf8.count
    var query = ByteWriter(capacity: longest + 16)
    query.append("?redirect_to=")
    query.append(upTo: longest) { PercentEncoding.write(redirectTo, to: $0) }
    return query.array
  }

  /// Appends the part that URL and deep link have in common: the query, where there is one.
  public func appendSuffix(to output: inout ByteWriter) {
    if redirectTo != nil { output.append(query) }
  }

  /// Appends the value of `signature-input` as it stands inside a JSON string.
  public func appendEscapedSignatureInput(to output: inout ByteWriter) {
    signature.appendInput(to: &output, .json)
  }

  /// Appends the value of `signature`, in which JSON has nothing to escape.
  public func appendSignature(to output: inout ByteWriter) {
    signature.appendCode(to: &output)
  }

  /// Appends what takes the place of the Web API Key where the key is not delivered.
  public func appendKeyStandIn(to output: inout ByteWriter) {
    Self.append(nil, id, to: &output)
  }

  /// Appends the value of `x-moment-web-api-key`.
  private static func append(
    _ webAPIKey: String?, _ id: LaunchID, to output: inout ByteWriter
  ) {
    if let webAPIKey {
      output.append(utf8: webAPIKey)
    } else {
      output.append("launch-")
      output.append(id)
    }
  }

  /// The signature base (RFC 9421 section 2.5).
  private static func appendBase(
    to base: inout ByteWriter, upstream: Upstream, query: [UInt8],
    audience: (projectID: ProjectID, userID: String, platform: Platform), webAPIKey: String?,
    parameters: SignatureParameters
  ) {
    base.append("\"@method\": GET\n\"@authority\": ")
    base.append(utf8: upstream.authority)
    base.append("\n\"@path\": ")
    base.append(utf8: upstream.path)
    base.append("\n\"@query\": ")
    base.append(query)
    base.append("\n\"x-moment-project-id\": ")
    base.append(audience.projectID.text)
    base.append("\n\"x-moment-web-api-key\": ")
    append(webAPIKey, parameters.nonce, to: &base)
    base.append("\n\"x-moment-user-id\": ")
    base.append(utf8: audience.userID)
    base.append("\n\"x-moment-platform\": ")
    base.append(utf8: audience.platform.rawValue)
    base.append("\n\"@signature-params\": ")
    parameters.append(to: &base, .plain)
  }
}
