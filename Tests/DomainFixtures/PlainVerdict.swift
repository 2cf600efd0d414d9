public import Domain

/// The verdict by the way over bytes; nil where it leaves the request to the general way.
///
/// The values of the headers `escaped` are said to stand as in JSON.
public func plainVerdict(
  method: String, url: String, headers: [(name: String, value: String)],
  escaped: Set<String> = [], by verifier: BundleVerifier, use: UseCheck = .lookedUp,
  directory: some VerificationDirectory,
  at now: Timestamp
) throws -> Verdict? {
  let texts = [method, url] + headers.flatMap { [$0.name, $0.value] }
  let bytes = texts.flatMap { Array($0.utf8) }
  return try bytes.withUnsafeBytes { bytes in
    var start = 0
    let parts = texts.map { text in
      defer { start += text.utf8.count }
      return UnsafeRawBufferPointer(rebasing: bytes[start..<(start + text.utf8.count)])
    }
    var bundle = PlainBundle()
    bundle.take(method: parts[0])
    bundle.take(url: parts[1])
    for (index, header) in headers.enumerated() {
      bundle.take(
        parts[2 + 2 * index], parts[3 + 2 * index], escaped.contains(header.name) ? .json : .plain)
    }
    return try verifier.verify(bundle, use: use, directory: directory, at: now)
  }
}

/// Every part of a verdict as text, to compare two.
public func described(_ verdict: Verdict) -> String {
  switch verdict {
  case .invalid(let code, let detail): "\(code.rawValue): \(detail)"
  case .valid(let launch):
    "\(launch.launchID) \(launch.projectID) \(launch.userID) \(launch.platform) "
      + "\(launch.issuedAt) \(launch.expiresAt) \(launch.replayPolicy)"
  }
}
