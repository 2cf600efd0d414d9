import Cryptography
import JSON

@testable import Domain

/// A bundle judged by its bytes: whatever they are, the verdict is that of the general way.
///
/// As in `signature`, the first line is the method, the second the URL, each further one a header. It is judged as it
/// is, and signed anew over what the general way reads, as a holder of an exported key could.
struct VerificationTarget: FuzzTarget {
  private typealias Headers = [(name: String, value: String)]

  private let verifier = BundleVerifier(site: Fixtures.site)

  init() throws {
    let launch = try Fixtures.launch(redirectTo: "/cs")
    let verdict = try plain("GET", launch.url, launch.headers)
    require(verdict != nil, "a launch as it was issued is judged by the general way")
  }

  func run(_ input: [UInt8]) throws {
    let lines = input.lines(upTo: 64)
    guard lines.count > 2 else { return }
    let headers = lines.dropFirst(2).map { line in
      let name = line.prefix { $0 != ":" }
      return (
        name: String(name), value: String(line.dropFirst(name.count + 1).drop { $0 == " " })
      )
    }
    try compare(lines[0], lines[1], headers)
    if let signed = signedAnew(lines[0], lines[1], headers) {
      try compare(lines[0], lines[1], signed)
    }
  }

  private func compare(_ method: String, _ url: String, _ headers: Headers) throws {
    guard let plain = try plain(method, url, headers) else { return }
    let request = need(
      SignedRequest(method: method, url: url, headers: headers), "the general way sees no request")
    let general = try verifier.verify(request, directory: Office(), at: Fixtures.now)
    require(described(plain) == described(general), "\(plain), not \(general)")
  }

  private func signedAnew(_ method: String, _ url: String, _ headers: Headers) -> Headers? {
    guard let request = SignedRequest(method: method, url: url, headers: headers) else {
      return nil
    }
    var base = ByteWriter(capacity: 1024)
    do throws(Refusal) {
      base.append(try ReceivedSignature(of: request).base(of: request))
    } catch {
      return nil
    }
    let code = Fixtures.signer(of: Fixtures.projectID).code(of: base)
    return headers.map { name, value in
      (name, name == "signature" ? "launch=:\(Base64.encode(code.bytes)):" : value)
    }
  }

  private func plain(_ method: String, _ url: String, _ headers: Headers) throws -> Verdict? {
    let texts = [method, url] + headers.flatMap { [$0.name, $0.value] }
    return try texts.flatMap { Array($0.utf8) }.withUnsafeBytes { bytes in
      var start = 0
      let parts = texts.map { text in
        defer { start += text.utf8.count }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<(start + text.utf8.count)])
      }
      var bundle = PlainBundle()
      bundle.take(method: parts[0])
      bundle.take(url: parts[1])
      for index in headers.indices { bundle.take(parts[2 + 2 * index], parts[3 + 2 * index]) }
      return try verifier.verify(
        bundle, use: .lookedUp, directory: Office(), at: Fixtures.now)
    }
  }

  private func described(_ verdict: Verdict) -> String {
    switch verdict {
    case .invalid(let code, let detail): "\(code.rawValue): \(detail)"
    case .valid(let launch):
      "\(launch.launchID) \(launch.projectID) \(launch.userID) \(launch.platform) "
        + "\(launch.issuedAt) \(launch.expiresAt)"
    }
  }
}
