public import API
public import HTTPServer

extension SupportPages {
  /// The pages' routes.
  public static var routes: [Route<RequestContext>] {
    [
      .promising(.get, home) { request, context in reply(request, context, SearchPage.show) },
      page(signIn, SignInPage.show),
      form(signIn, bodyLimit: smallForm, SignInPage.submit),
      form(SignInPage.outPath, bodyLimit: smallForm, SignInPage.signOut),
      page("/support/businesses/{business_id}", BusinessDetails.show),
      page(ExplainPage.path, ExplainPage.show),
      form(
        ExplainPage.path, bodyLimit: pasteForm, admitting: { try $0.session() },
        ExplainPage.submit),
      page(StatisticsPage.path, StatisticsPage.show),
      page("/support/assets/{name}", SupportAssets.show),
    ]
  }

  private static func page(
    _ pattern: String, _ work: @escaping @Sendable (SupportVisit) throws -> Response
  ) -> Route<RequestContext> {
    Route(.get, pattern) { request, context in answer(request, context, work) }
  }

  /// A POST whose answer may be promised, and whose body is kept only if its `Origin` is ours and `check` passes.
  private static func form<Admitted>(
    _ pattern: String, bodyLimit: Int,
    admitting check: @escaping @Sendable (SupportVisit) throws -> Admitted = { _ in },
    _ work: @escaping @Sendable (SupportVisit) throws -> Reply
  ) -> Route<RequestContext> {
    .promising(
      .post, pattern, bodyLimit: bodyLimit,
      admission: { request, context in refusal(of: request, context) { _ = try check($0) } }
    ) { request, context in reply(request, context, work) }
  }
}
