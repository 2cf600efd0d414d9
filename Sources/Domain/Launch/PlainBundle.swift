internal import Cryptography
internal import JSON

/// A request with a bundle as LaunchLink itself writes one, read where it lies.
///
/// It knows one form only: the signer's order of components and parameters, each covered header once,
/// and nothing that a reader would have to repair, decode or choose. Anything else is left to
/// ``SignedRequest``, which knows every form and says what is wrong with one. It never refuses: it
/// finds a bundle authentic or says nothing.
///
/// It points into the memory that it is given, which has to stay as it is while it is used.
public struct PlainBundle: ~Copyable {
  /// How quotation marks stand in the value of `signature-input`.
  public enum Quotation: Sendable {
    /// As they are.
    case plain
    /// As inside a JSON string.
    case json
  }

  /// The covered headers and the signature, in the order of their names' lengths.
  private struct Fields {
    var signature = none
    var input = none
    var userID = none
    var platform = none
    var projectID = none
    var webAPIKey = none
  }

  private static var none: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  private var method = none
  private var authority = none
  private var path = none
  private var query = none
  private var fields = Fields()
  private var quotation = Quotation.plain
  private var isPlain = true

  /// Makes a request without anything.
  public init() {}

  // MARK: The parts

  /// Takes the method.
  public mutating func take(method: UnsafeRawBufferPointer) {
    isPlain = isPlain && self.method.isEmpty && method.isVisibleASCII
    self.method = method
  }

  /// Takes the absolute `https` URL of the request.
  public mutating func take(url: UnsafeRawBufferPointer) {
    var rest = PlainText(url)
    guard rest.take("https://") else { return isPlain = false }
    let end = rest.bytes.firstIndex(of: UInt8(ascii: "/")) ?? rest.bytes.endIndex
    take(
      authority: UnsafeRawBufferPointer(rebasing: rest.bytes[..<end]),
      target: UnsafeRawBufferPointer(rebasing: rest.bytes[end...]))
  }

  /// Takes host and port, and path and query, of the request's `https` URL.
  public mutating func take(authority: UnsafeRawBufferPointer, target: UnsafeRawBufferPointer) {
    isPlain =
      isPlain && self.authority.isEmpty && authority.isPlainAuthority
      && target.first == UInt8(ascii: "/") && target.isVisibleASCII
    self.authority = authority
    let end = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
    path = UnsafeRawBufferPointer(rebasing: target[..<end])
    query = UnsafeRawBufferPointer(rebasing: target[end...])
  }

  /// Takes a header, or passes it over where no bundle covers it.
  ///
  /// - Parameters:
  ///   - name: in any case.
  ///   - value: without blanks around it.
  ///   - quotation: how quotation marks stand in it.
  public mutating func take(
    _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
    _ quotation: Quotation = .plain
  ) {
    let isNew: Bool
    switch name.count {
    case 9 where name.isWord("signature"): isNew = Self.put(value, quotation, &fields.signature)
    case 15 where name.isWord("signature-input"):
      self.quotation = quotation
      // It is compared with a text that has its quotation marks in the same way.
      isNew = Self.put(value, .plain, &fields.input)
    case 16 where name.isWord("x-moment-user-id"):
      isNew = Self.put(value, quotation, &fields.userID)
    case 17 where name.isWord("x-moment-platform"):
      isNew = Self.put(value, quotation, &fields.platform)
    case 19 where name.isWord("x-moment-project-id"):
      isNew = Self.put(value, quotation, &fields.projectID)
    case 20 where name.isWord("x-moment-web-api-key"):
      isNew = Self.put(value, quotation, &fields.webAPIKey)
    default: return
    }
    isPlain = isPlain && isNew
  }

  /// Puts a value where none is yet; false where there is one, the value is empty, or has to be
  /// decoded.
  private static func put(
    _ value: UnsafeRawBufferPointer, _ quotation: Quotation, _ field: inout UnsafeRawBufferPointer
  ) -> Bool {
    guard field.isEmpty, !value.isEmpty, quotation == .plain else { return false }
    field = value
    return true
  }

  // MARK: What it says

  /// What the signature says of itself, and the project; nil where the request is not plain.
  func claims() -> (parameters: SignatureParameters, projectID: ProjectID)? {
    guard isPlain, !method.isEmpty, !authority.isEmpty, fields.userID.isVisibleASCII,
      fields.webAPIKey.isVisibleASCII, platform != nil,
      let projectID = ProjectID(fields.projectID),
      let parameters = SignatureParameters(
        input: fields.input, quotation == .plain ? .plain : .json)
    else { return nil }
    return (parameters, projectID)
  }

  /// The user; visible ASCII.
  var userID: String { String(decoding: fields.userID, as: UTF8.self) }

  /// The platform; nil where no launch has such a one.
  var platform: Platform? {
    if fields.platform.isText("IOS") { return .ios }
    return fields.platform.isText("ANDROID") ? .android : nil
  }

  /// Whether the request went to an authority.
  func isFor(authority text: String) -> Bool {
    text.utf8Span.span.withUnsafeBytes { authority.hasSameBytes(as: $0) }
  }

  /// Whether `signer` would have signed the request so, decided in constant time.
  func isSigned(by signer: LaunchSigner, _ parameters: SignatureParameters) -> Bool {
    var base = ByteWriter(capacity: 1024)
    appendBase(to: &base, parameters)
    let signature = LaunchSignature(parameters: parameters, code: signer.code(of: base))
    var expected = ByteWriter(capacity: 64)
    signature.appendCode(to: &expected)
    return expected.withUnsafeBytes { constantTimeEqual($0, fields.signature) }
  }

  /// The signature base (RFC 9421 section 2.5).
  private func appendBase(to base: inout ByteWriter, _ parameters: SignatureParameters) {
    base.append("\"@method\": ")
    base.append(method)
    base.append("\n\"@authority\": ")
    base.append(authority)
    base.append("\n\"@path\": ")
    base.append(path)
    base.append("\n\"@query\": ")
    if query.isEmpty { base.append("?") } else { base.append(query) }
    base.append("\n\"x-moment-project-id\": ")
    base.append(fields.projectID)
    base.append("\n\"x-moment-web-api-key\": ")
    base.append(fields.webAPIKey)
    base.append("\n\"x-moment-user-id\": ")
    base.append(fields.userID)
    base.append("\n\"x-moment-platform\": ")
    base.append(fields.platform)
    base.append("\n\"@signature-params\": ")
    parameters.append(to: &base, .plain)
  }
}

extension BundleVerifier {
  /// The verdict on a plain bundle that is authentic, the same as on its ``SignedRequest``.
  ///
  /// - Parameters:
  ///   - bundle: the request.
  ///   - use: whether an earlier use is looked up.
  ///   - directory: where keys and projects are found.
  ///   - now: the time of the verification.
  /// - Returns: nil where the request is not plain or not authentic.
  /// - Throws: the directory's own error.
  public func verify(
    _ bundle: borrowing PlainBundle, use: UseCheck, directory: some VerificationDirectory,
    at now: Timestamp
  ) throws -> Verdict? {
    guard let (parameters, projectID) = bundle.claims(),
      case .known(let credentials) = try directory.credentials(
        keyID: parameters.keyID, projectID: projectID, at: now),
      bundle.isSigned(by: credentials.signer, parameters)
    else { return nil }
    do {
      return try judge(
        AuthenticBundle(
          launchID: parameters.nonce, created: parameters.created, expires: parameters.expires,
          userID: bundle.userID, platform: bundle.platform),
        signedWith: credentials, use: use, directory: directory, at: now,
        isForAuthority: { bundle.isFor(authority: $0) })
    } catch let refusal as Refusal {
      return .invalid(refusal.code, detail: refusal.detail)
    }
  }
}
