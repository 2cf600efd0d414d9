internal import Domain

extension Verdict {
  /// Whether the MAC fits, whatever else is wrong with the launch.
  var isAuthentic: Bool {
    guard case .invalid(let code, _) = self else { return true }
    return switch code {
    case .missingSignature, .malformedSignature, .wrongTag, .missingComponent, .unknownKey,
      .signatureMismatch:
      false
    case .authorityMismatch, .notYetValid, .expired, .projectDisabled, .revoked, .replayed: true
    }
  }
}
