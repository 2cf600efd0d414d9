import Domain

/// A web view's cookie: what is accepted says in a `Set-Cookie` header exactly what was meant.
///
/// The lines are name, value, domain and path.
struct CookieTarget: FuzzTarget {
  func run(_ input: [UInt8]) throws {
    let lines = input.lines(upTo: 4)
    guard lines.count == 4 else { return }
    let cookie: WebViewCookie
    do {
      cookie = try WebViewCookie(
        projectID: nil, name: lines[0], value: lines[1], domain: lines[2], path: lines[3])
    } catch let fault as FieldFault {
      require(["name", "value", "domain", "path", "same_site"].contains(fault.field), "\(fault)")
      return
    }
    let header =
      "\(cookie.name)=\(cookie.value); Domain=\(cookie.domain); Path=\(cookie.path); Secure"
    require(header.utf8.allSatisfy { (0x20...0x7E).contains($0) }, header)
    // As RFC 6265 section 5.2 has browsers read it.
    let parts = header.split(separator: ";", omittingEmptySubsequences: false).map { part in
      part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
        String($0.drop { $0 == " " })
      }
    }
    require(
      parts == [
        [lines[0], lines[1]], ["Domain", lines[2].lowercased()], ["Path", lines[3]], ["Secure"],
      ], "\(parts)")
  }
}
