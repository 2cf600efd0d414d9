import Domain
import Foundation

/// A `redirect_to`: what is accepted stays on the upstream's host, at one of its pages.
struct RedirectTarget: FuzzTarget {
  private let verifier = BundleVerifier(site: Fixtures.site)

  func run(_ input: [UInt8]) throws {
    let raw = input.text
    let launch: Launch
    do {
      launch = try Fixtures.launch(redirectTo: raw)
    } catch let faults as FieldFaults {
      require(faults.all.map(\.field) == ["redirect_to"], "\(faults)")
      return
    }
    let prefix = Fixtures.origin + "/main?redirect_to="
    require(launch.url.hasPrefix(prefix), launch.url)
    let encoded = launch.url.dropFirst(prefix.count)
    require(
      encoded.utf8.allSatisfy { byte in
        byte == UInt8(ascii: "%") || "-._~".utf8.contains(byte)
          || Character(Unicode.Scalar(byte)).isASCIIAlphanumeric
      }, "the query holds more than unreserved characters and escapes: \(encoded)")
    let decoded = need(String(encoded).removingPercentEncoding, "broken escapes: \(encoded)")
    require(decoded.utf8.elementsEqual(raw.utf8), "\(raw) arrives as \(decoded)")
    checkBrowserReading(of: raw)
    let request = need(
      SignedRequest(method: "GET", url: launch.url, headers: launch.headers), "a request")
    guard
      case .valid(let verified) = try verifier.verify(
        request, directory: Office(), at: Fixtures.now)
    else { fatalError("the launch of \(raw) does not verify") }
    require(verified.launchID == launch.id, "another launch")
  }

  /// Reads the path as the URL standard has browsers do (section 4.4), against the upstream's origin.
  private func checkBrowserReading(of raw: String) {
    let scalars = raw.unicodeScalars.filter { !"\t\n\r".unicodeScalars.contains($0) }
    require(scalars.count == raw.unicodeScalars.count, "browsers drop tabs and line breaks")
    let bytes = Array(raw.utf8)
    require(bytes.first == UInt8(ascii: "/"), "\(raw) does not begin with a slash")
    let second = bytes.dropFirst().first
    require(
      second != UInt8(ascii: "/") && second != UInt8(ascii: "\\"), "\(raw) names another host")
    let path = bytes.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    require(Fixtures.pages.contains { path.elementsEqual($0.utf8) }, "\(raw) is no page")
  }
}

extension Character {
  var isASCIIAlphanumeric: Bool { isASCII && (isLetter || isNumber) }
}
