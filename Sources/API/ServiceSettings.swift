internal import Explain
internal import Domain

/// What requests are answered by and may change while the server runs, as a whole.
struct ServiceSettings: Sendable {
  let site: Site
  let issuer: LaunchIssuer
  let verifier: BundleVerifier
  let explainer: Explainer
  var publicURL: PublicURL?
  var sessionSeconds = SupportSession.lifetime

  init(site: Site) {
    self.init(site: site, publicURL: nil, issuer: LaunchIssuer(site: site))
  }

  /// What follows on `old`: launch ids go on where they are, so that none goes backwards.
  init(site: Site, publicURL: PublicURL?, after old: ServiceSettings) {
    self.init(site: site, publicURL: publicURL, issuer: old.issuer.leading(to: site))
  }

  private init(site: Site, publicURL: PublicURL?, issuer: LaunchIssuer) {
    self.site = site
    self.publicURL = publicURL
    self.issuer = issuer
    verifier = BundleVerifier(site: site)
    explainer = Explainer(site: site)
  }
}
