/// The launch signature of a request, read strictly and not yet verified.
public struct ReceivedSignature: Sendable {
  /// The signing key that it names.
  public let keyID: String
  /// When it was made, in seconds.
  public let created: Int64
  /// When it ends, in seconds.
  public let expires: Int64
  /// The launch's identifier.
  public let nonce: LaunchID
  /// The signature's bytes; nil where `Signature` has none of that label.
  public let code: [UInt8]?

  /// What is covered, in the order of the signature base.
  public let components: [String]
  /// The value of `@signature-params`, exactly as received.
  public let parameters: String

  /// Finds the signature by its tag, reads its parameters and checks what it covers.
  ///
  /// - Throws: `Refusal`.
  public init(of request: SignedRequest) throws(Refusal) {
    let input = request.values(of: "signature-input")
    let signature = request.values(of: "signature")
    guard !input.isEmpty, !signature.isEmpty else {
      throw Refusal(
        .missingSignature,
        "The headers signature-input and signature are needed. Send the headers of the launch.")
    }
    guard let inputs = StructuredDictionary(input.joined(separator: ", ")),
      let signatures = StructuredDictionary(signature.joined(separator: ", "))
    else { throw Self.malformed(Self.noDictionary) }

    let tagged = inputs.members.filter { $0.parameter("tag") == .string(BundleSignature.tag) }
    guard let member = tagged.first else {
      throw Refusal(
        .wrongTag, "No signature has the tag \(BundleSignature.tag). Send the headers of a launch.")
    }
    guard tagged.count == 1 else { throw Self.malformed("two signatures have the launch tag") }
    guard case .list(let items) = member.content else {
      throw Self.malformed("the signature names no list of components")
    }
    // Malformed parts are reported before missing ones, wherever they stand.
    let covered = try Self.components(items)
    for name in covered.names where request.count(of: name) > 1 {
      throw Self.malformed("the covered header \(Self.shown(name)) occurs twice")
    }
    let (keyID, algorithm) = (
      try Self.string("keyid", of: member), try Self.string("alg", of: member)
    )
    let nonce = try Self.nonce(of: member)
    let (created, expires) = (
      try Self.time("created", of: member), try Self.time("expires", of: member)
    )
    switch signatures[member.key]?.content {
    case .item(.bytes(let bytes)): code = bytes
    case nil: code = nil
    default: throw Self.malformed("the signature is no byte sequence")
    }
    if let lacking = covered.lacking { throw Self.missing(lacking) }
    guard algorithm == BundleSignature.algorithm else {
      throw Self.missing("alg=\"\(BundleSignature.algorithm)\"")
    }
    guard let keyID else { throw Self.missing("keyid") }
    guard let nonce else { throw Self.missing("nonce") }
    guard let created else { throw Self.missing("created") }
    guard let expires else { throw Self.missing("expires") }
    (self.keyID, self.nonce, self.created, self.expires) = (keyID, nonce, created, expires)
    components = covered.names
    parameters = member.text
  }

  /// The signature base of `request` under this signature (RFC 9421 section 2.5).
  ///
  /// - Throws: `Refusal` where a covered component is absent.
  func base(of request: SignedRequest) throws(Refusal) -> [UInt8] {
    var base: [UInt8] = []
    base.reserveCapacity(1024)
    for component in components {
      base.append(contentsOf: "\"\(component)\": ".utf8)
      base.append(contentsOf: try Self.value(of: component, in: request).utf8)
      base.append(UInt8(ascii: "\n"))
    }
    base.append(contentsOf: "\"@signature-params\": ".utf8)
    base.append(contentsOf: parameters.utf8)
    return base
  }

  private static func value(
    of component: String, in request: SignedRequest
  ) throws(Refusal) -> String {
    if component.utf8.first == UInt8(ascii: "@") {
      guard let value = request.derived(component) else { throw missing(shown(component)) }
      return value
    }
    guard let value = request.firstValue(of: component) else {
      throw missing(shown(component))
    }
    return value
  }

  /// The covered components, and the first that a launch needs and this signature does not cover as
  /// it has to.
  private static func components(
    _ items: [StructuredDictionary.Item]
  ) throws(Refusal) -> (names: [String], lacking: String?) {
    var names: [String] = []
    var lacking: String?
    for item in items {
      guard case .string(let name) = item.value else {
        throw malformed("a component's name is no string")
      }
      if !item.parameters.isEmpty { lacking = lacking ?? "\(shown(name)) without parameters" }
      guard !names.contains(name) else { throw malformed("\(shown(name)) is covered twice") }
      names.append(name)
    }
    return (names, lacking ?? BundleSignature.components.first { !names.contains($0) })
  }

  private static func string(
    _ name: String, of member: StructuredDictionary.Member
  ) throws(Refusal) -> String? {
    switch member.parameter(name) {
    case .string(let text): return text
    case nil: return nil
    default: throw malformed("the parameter \(name) is no string")
    }
  }

  private static func nonce(
    of member: StructuredDictionary.Member
  ) throws(Refusal) -> LaunchID? {
    guard let text = try string("nonce", of: member) else { return nil }
    guard let nonce = LaunchID(text) else { throw malformed("the nonce is no UUIDv7") }
    return nonce
  }

  private static func time(
    _ name: String, of member: StructuredDictionary.Member
  ) throws(Refusal) -> Int64? {
    switch member.parameter(name) {
    case .integer(let time) where BundleVerifier.isSeconds(time): return time
    case nil: return nil
    default: throw malformed("the parameter \(name) is no time in whole seconds")
    }
  }

  private static let noDictionary =
    "signature-input or signature is no structured dictionary of at most "
    + "\(StructuredDictionary.mostMembers) signatures, \(StructuredDictionary.mostListItems) components "
    + "and \(StructuredDictionary.mostParameters) parameters"

  /// As much of a component's name as an answer repeats; the name is the client's.
  private static func shown(_ name: String) -> String { String(name.prefix(64)) }

  private static func malformed(_ what: String) -> Refusal {
    Refusal(.malformedSignature, "The signature is malformed: \(what). Send it as it was given.")
  }

  private static func missing(_ what: String) -> Refusal {
    Refusal(
      .missingComponent,
      "The signature or the request lacks \(what). Send every header of the launch.")
  }
}
