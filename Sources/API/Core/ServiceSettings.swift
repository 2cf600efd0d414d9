public import Domain

/// What requests are answered by and a reload may change, as a whole.
///
/// A class, since every request holds it: one reference counts less than those of all its parts.
public final class ServiceSettings: Sendable {
  /// The cashback web that launches lead to.
  public let site: Site
  let issuer: LaunchIssuer
  let verifier: BundleVerifier
  /// Where browsers reach the support pages; without it nobody can sign in to them.
  public let publicURL: PublicURL?
  /// For how long a sign-in to the support pages lasts, in seconds.
  public let sessionSeconds: Int

  /// Makes settings.
  ///
  /// - Parameters:
  ///   - site: the cashback web that launches lead to.
  ///   - publicURL: where browsers reach the support pages.
  ///   - sessionSeconds: for how long a sign-in to them lasts.
  ///   - old: the settings so far: new launch ids follow theirs, so that none goes backwards.
  init(
    site: Site, publicURL: PublicURL? = nil, sessionSeconds: Int = SupportSession.lifetime,
    after old: ServiceSettings? = nil
  ) {
    self.site = site
    self.publicURL = publicURL
    self.sessionSeconds = sessionSeconds
    issuer = old?.issuer.leading(to: site) ?? LaunchIssuer(site: site)
    verifier = BundleVerifier(site: site)
  }
}
