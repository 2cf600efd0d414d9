import Domain

/// A request with a bundle: only the one that was issued verifies, whatever is made of it.
///
/// The first line is the method, the second the URL, each further one a header.
struct SignatureTarget: FuzzTarget {
  private let launch: Launch
  private let verifier = BundleVerifier(site: Fixtures.site)

  init() throws {
    launch = try Fixtures.launch(redirectTo: "/cashback/detail?business_id=11st")
  }

  func run(_ input: [UInt8]) throws {
    let lines = input.lines(upTo: 64)
    guard lines.count > 2 else { return }
    let headers = lines.dropFirst(2).map { line in
      let name = line.prefix { $0 != ":" }
      return (name: String(name), value: String(line.dropFirst(name.count + 1)))
    }
    guard let request = SignedRequest(method: lines[0], url: lines[1], headers: headers) else {
      return
    }
    let verdict = try verifier.verify(request, directory: Office(), at: Fixtures.now)
    guard case .valid(let verified) = verdict else { return }
    require(verified.launchID == launch.id, "another launch verifies")
    require(
      verified.userID == "USER-123" && verified.platform == .ios
        && verified.projectID == Fixtures.projectID, "\(verified)")
    require(request.method == "GET", "with \(request.method)")
    require(
      lines[1].hasSuffix("/main?redirect_to=%2Fcashback%2Fdetail%3Fbusiness_id%3D11st"), lines[1])
    for (name, value) in launch.headers.dropLast(2) {
      let sent = request.headers.filter { $0.name == name }.map(\.value)
      require(sent == [value], "\(name) is \(sent)")
    }
  }
}
