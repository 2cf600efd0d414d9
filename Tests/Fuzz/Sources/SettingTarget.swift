import Domain
import HTTPServer

/// A short text that a setting, a path or a field holds: what is accepted reads back.
struct SettingTarget: FuzzTarget {
  func run(_ input: [UInt8]) throws {
    let text = input.text
    if let id = ProjectID(text) { require(id.description == text, text) }
    if let id = KeyID(text) { require(id.description == text, text) }
    if let id = SigningKeyID(text) { require(id.description == text, text) }
    if let id = LaunchID(text) {
      // Hexadecimal digits are read in either case (RFC 9562 section 4).
      require(id.description.utf8.elementsEqual(text.lowercased().utf8), text)
      require((0..<1 << 48).contains(id.milliseconds), text)
    }
    if let version = WebVersion(text) { require(!version.clearsCache(of: version), text) }
    if let url = PublicURL(text) {
      require(PublicURL(url.origin)?.origin == url.origin, "\(text): \(url.origin)")
      require(url.origin.utf8.count { $0 == UInt8(ascii: "/") } == 2, url.origin)
    }
    if let upstream = Upstream(baseURL: text) {
      require(upstream.baseURL == text && upstream.path.hasPrefix("/"), text)
    }
    if let address = address(text) {
      require(self.address(address.description) == address, "\(text): \(address)")
    }
  }

  private func address(_ text: String) -> Address? {
    do { return try Address(parsing: text) } catch { return nil }
  }
}
