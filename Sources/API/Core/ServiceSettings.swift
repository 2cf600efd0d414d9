public import Domain

/// The settings of requests, which a reload replaces as a whole.
///
/// A class, since every request holds it: retaining one reference costs less than retaining each part.
public final class ServiceSettings: Sendable {
  /// The cashback web that launches lead to.
  public let site: Site
  let issuer: LaunchIssuer
  let verifier: BundleVerifier
  /// The URL of the support pages for browsers; without it nobody can sign in.
  public let publicURL: PublicURL?
  /// How long a sign-in to the support pages lasts, in seconds.
  public let sessionSeconds: Int

  /// Makes settings.
  ///
  /// - Parameters:
  ///   - site: the cashback web that launches lead to.
  ///   - publicURL: the URL of the support pages for browsers.
  ///   - sessionSeconds: how long a sign-in to them lasts.
  ///   - old: the previous settings; new launch ids follow theirs, so that none goes backwards.
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
