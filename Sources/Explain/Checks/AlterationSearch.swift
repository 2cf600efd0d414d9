internal import Domain
internal import Encoding

/// Finds what was changed after a launch was issued, by trying likely originals.
///
/// Only the holder of the signing key can do this: a try is the original where the signature fits
/// it.
struct AlterationSearch {
  /// The most bytes that are hashed, those of some 4,000 launches; each try costs one HMAC.
  private static let mostBytes = 4 << 20

  private let signature: ReceivedSignature
  private let plausible: PlausibleOriginals

  init(
    site: Site, signature: ReceivedSignature, request: SignedRequest, project: Project?,
    webAPIKey: String?, redaction: Redaction, projectIDs: [ProjectID]
  ) {
    self.signature = signature
    var values: [String: String] = [:]
    for component in signature.components {
      values[component] = request.derived(component) ?? request.values(of: component).first
    }
    plausible = PlausibleOriginals(
      site: site, signature: signature, values: values, project: project, webAPIKey: webAPIKey,
      redaction: redaction, knownProjects: projectIDs)
  }

  /// Tries single changes, then pairs of changes.
  ///
  /// - Parameters:
  ///   - verifier: the signer of a project under a signing key.
  ///   - suggestions: businesses with similar IDs.
  /// - Returns: the changes that have to be undone for the signature to fit; empty where it fits as
  ///   it is, nil where none were found.
  /// - Throws: what the closures throw.
  func alterations(
    verifier: (SigningKeyID, ProjectID) throws -> LaunchSigner?,
    suggestions: (String) throws -> [String]
  ) rethrows -> [Alteration]? {
    guard let keyID = SigningKeyID(signature.keyID), let code = signature.code else { return nil }
    var signers: [String: LaunchSigner] = [:]
    var budget = Self.mostBytes
    func fits(_ changes: [Alteration]) throws -> Bool {
      var values = plausible.values
      var parameters = signature.parameters
      for change in changes {
        values.merge(change.originals) { $1 }
        parameters = change.parameters ?? parameters
      }
      guard let name = values["x-moment-project-id"], let id = ProjectID(name) else { return false }
      guard let signer = try signers[name] ?? verifier(keyID, id) else { return false }
      signers[name] = signer
      let base = base(values, parameters: parameters)
      budget -= base.count
      return signer.isValid(code, for: base)
    }

    if try fits([]) { return [] }
    let singles = try plausible.alterations(suggestions: suggestions)
    for single in singles + plausible.otherProjects where budget > 0 {
      if try fits([single]) { return [single] }
    }
    for (index, first) in singles.enumerated() {
      for second in singles[(index + 1)...] where first.isApart(from: second) {
        guard budget > 0 else { return nil }
        if try fits([first, second]) { return [first, second] }
      }
    }
    return nil
  }

  /// The signature base of these values (RFC 9421 section 2.5).
  private func base(_ values: [String: String], parameters: String) -> [UInt8] {
    var base: [UInt8] = []
    base.reserveCapacity(1024)
    for component in signature.components {
      base.append(contentsOf: "\"\(component)\": ".utf8)
      base.append(contentsOf: (values[component] ?? "").utf8)
      base.append(UInt8(ascii: "\n"))
    }
    base.append(contentsOf: "\"@signature-params\": ".utf8)
    base.append(contentsOf: parameters.utf8)
    return base
  }
}

/// A possible change of a launch, with the original.
struct Alteration {
  /// The original values by component.
  let originals: [String: String]
  /// The original parameters of the signature; nil where they were not changed.
  let parameters: String?
  /// The part that was changed.
  private let part: Wording
  /// What was done to it; a closure, since words are needed only for the change that is found.
  private let how: () -> Wording

  init(
    _ originals: [String: String], parameters: String? = nil, part: Wording,
    how: @escaping () -> Wording
  ) {
    self.originals = originals
    self.parameters = parameters
    self.part = part
    self.how = how
  }

  /// The finding where this change is the right one.
  var finding: Finding { .altered(part, how: how()) }

  /// Whether two changes concern different parts.
  func isApart(from other: Alteration) -> Bool {
    !(parameters != nil && other.parameters != nil)
      && Set(originals.keys).isDisjoint(with: other.originals.keys)
  }
}
