/// A page of the cashback web for one business, as a launch of one upstream would open it.
public struct LaunchLink: Sendable, Equatable {
  /// The page's name, such as `program`.
  public let page: String
  /// The upstream's name, such as `production`.
  public let upstream: String
  /// The raw path, as a request gives it in `redirect_to`.
  public let redirectTo: String
  /// The URL that a launch's answer has; it opens nothing without the launch's headers.
  public let url: String
}

extension Site {
  /// The launch URLs of a business: every page that takes a business, at every upstream.
  ///
  /// The default upstream of projects comes first.
  ///
  /// - Parameter id: the business; whether it is active does not matter here.
  /// - Returns: the links in the order of pages, then of upstreams.
  /// - Throws: nothing in practice: the directory that it asks never throws.
  public func launchLinks(ofBusiness id: String) throws -> [LaunchLink] {
    let standard = "production"
    let others = upstreams.keys.sorted().filter { $0 != standard }
    let names = [standard] + others
    return try pages.flatMap { page -> [LaunchLink] in
      guard page.takes(.business), let redirectTo = try redirectTo(page, business: id) else {
        return []
      }
      let query = String(decoding: Launch.query(redirectTo), as: UTF8.self)
      return names.compactMap { name in
        upstreams[name].map { upstream in
          LaunchLink(
            page: page.name, upstream: name, redirectTo: redirectTo, url: upstream.baseURL + query)
        }
      }
    }
  }

  /// The raw path that a request for the page leads to; nil where it needs more than a business.
  private func redirectTo(_ page: Page, business id: String) throws -> String? {
    var request = LaunchRequest()
    request.page = page.name
    request.businessID = id
    var faults = FieldFaultList([])
    let check = DestinationCheck(site: self, directory: EveryBusiness())
    let destination = try check.destination(of: request, faults: &faults)
    return faults.isEmpty ? destination.path : nil
  }
}

/// Takes every business for an active one.
private struct EveryBusiness: BusinessDirectory {
  func standing(ofBusiness id: String) -> BusinessStanding { .active }
}
