import Domain
import Encoding
import Explain
import JSON

/// A pasted text with a secret in it: the explanation never shows the secret.
///
/// The first byte says which secret, the second where it stands.
struct ExplainTarget: FuzzTarget {
  private let explainer = Explainer(site: Fixtures.site)
  private let apiKey: APIKeySecret

  init() {
    var numbers = Numbers()
    apiKey = APIKeySecret(using: &numbers)
  }

  func run(_ input: [UInt8]) throws {
    guard input.count >= 2 else { return }
    let secret = input[0] & 1 == 0 ? Fixtures.webAPIKey : apiKey.secret
    var bytes = Array(input.dropFirst(2).text.utf8)
    bytes.insert(contentsOf: secret.utf8, at: bytes.count * Int(input[1]) / 256)
    let shown = try explain(bytes.text)
    // By bytes: a text finds no secret before a combining character. The public id may be seen, what
    // follows it may not.
    require(!shown.holds(secret.suffix(12)), "shown: the end of \(secret)")
    require(
      shown.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" }, "a control character")
  }

  private func explain(_ text: String) throws -> String {
    do {
      let explanation = try explainer.explain(text, directory: Office(), at: Fixtures.now)
      require(!explanation.findings.isEmpty, "no finding")
      let texts = Language.allCases.flatMap { language in
        explanation.findings.flatMap { [$0.text(in: language), $0.advice(in: language) ?? ""] }
      }
      return texts.joined(separator: "\n") + explanation.json.encoded().text
    } catch let nothing as NothingToExplain {
      return Language.allCases.map(nothing.text).joined()
    }
  }
}

extension String {
  /// Whether the bytes of `text` are in it.
  fileprivate func holds(_ text: Substring) -> Bool {
    let bytes = Array(utf8)
    let pattern = Array(text.utf8)
    return bytes.indices.contains {
      bytes[$0] == pattern[0] && bytes[$0...].starts(with: pattern)
    }
  }
}
