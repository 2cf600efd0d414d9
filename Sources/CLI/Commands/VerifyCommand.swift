import Configuration
import Domain
internal import Encoding
import JSON
import Store

/// `launchlink verify`.
struct VerifyCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "verify", abstract: "Verify a header bundle, read from standard input.",
      discussion: """
        Reads {"method","url","headers"}, or a whole answer of POST /launch. Exits with 0 where the
        bundle is valid, with 1 where it is not, with 65 where the input cannot be read.
        """,
      examples: [
        "launchlink launch --project 67b6f2a9688f4a05db0a1d45 --user-id USER-123 --platform IOS \\",
        "  --output json | launchlink verify",
      ])
  }

  static let sizeLimit = 64 << 10

  func run(in context: Context) throws {
    let request = try BundleInput.read(context.console.readInput(Self.sizeLimit))
    let verifier = BundleVerifier(site: try context.configuration().site)
    let reader = try context.store().makeReader()
    let verdict = try verifier.verify(request, directory: reader, at: context.clock())
    try context.show(verdict.json, table: Self.table(verdict))
    if case .invalid = verdict { throw CommandFailure(.refused) }
  }

  private static func table(_ verdict: Verdict) -> String {
    switch verdict {
    case .valid(let launch):
      Table.properties([
        ("Verdict", "valid"), ("Launch ID", launch.launchID.description),
        ("Project", launch.projectID.description), ("User", launch.userID),
        ("Platform", launch.platform.rawValue), ("Issued", launch.issuedAt.description),
        ("Expires", launch.expiresAt.description),
      ])
    case .invalid(let code, let detail):
      Table.properties([("Verdict", "invalid"), ("Code", code.rawValue), ("Detail", detail)])
    }
  }
}

/// Reads a bundle to verify.
enum BundleInput {
  private static let needed = ["method", "url", "headers"]
  /// The members of a launch's answer that verification ignores.
  private static let passedOver = [
    "launch_id", "redirect_to", "deep_link", "issued_at", "expires_at", "expires_in",
  ]

  /// Reads a bundle.
  ///
  /// - Throws: `CommandFailure` with all faults of the text.
  static func read(_ bytes: [UInt8]) throws -> SignedRequest {
    let root: JSON
    do throws(JSONError) {
      root = try JSON.parse(bytes)
    } catch {
      throw CommandFailure(.badData, "The input is not JSON: \(error).")
    }
    var faults: [String] = []
    for member in root.objectValue ?? [] where !(needed + passedOver).contains(member.name) {
      faults.append(
        "There is no member \(quoted(member.name))" + didYouMean(member.name, needed).closed)
    }
    let method = root["method"]?.stringValue
    if method?.isEmpty ?? true { faults.append("method has to be a string such as GET.") }
    let url = root["url"]?.stringValue
    let headers = root["headers"]?.objectValue?.compactMap { member in
      member.value.stringValue.map { (name: member.name, value: $0) }
    }
    if headers == nil || headers?.count != root["headers"]?.objectValue?.count {
      faults.append("headers has to be an object of strings.")
    }
    let request = SignedRequest(method: method ?? "", url: url ?? "", headers: headers ?? [])
    if request == nil { faults.append("url has to be a whole URL, with https:// and host.") }
    guard let request, faults.isEmpty else {
      throw CommandFailure(
        .badData,
        "The input cannot be verified:\n" + faults.map { "  " + $0 }.joined(separator: "\n"))
    }
    return request
  }
}
