import HTTPServer

@testable import Observability

/// What proxies and callers say of a request's way: nobody but a trusted proxy is believed.
///
/// The first line is a `traceparent`, each further one an `X-Forwarded-For`.
struct ForwardedTarget: FuzzTarget {
  private let proxies: TrustedProxies
  private let peer: IPAddress

  init() throws {
    proxies = TrustedProxies(try ["10.0.0.0/8", "2001:db8::/32"].map(AddressBlock.init(parsing:)))
    peer = need(IPAddress("10.0.0.1"), "an address")
  }

  func run(_ input: [UInt8]) throws {
    let lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .prefix(17).map { Array($0) }
    checkTrace(lines[0])
    checkBlock(lines[0].text)
    let values = Array(lines.dropFirst())
    let client = withPointers(to: values[...], []) {
      proxies.client(peer: peer, forwarded: $0)
    }
    require(client == expected(values), "\(client), not \(expected(values))")
  }

  private func withPointers<Result>(
    to values: ArraySlice<[UInt8]>, _ pointers: [UnsafeRawBufferPointer],
    _ use: ([UnsafeRawBufferPointer]) -> Result
  ) -> Result {
    guard let first = values.first else { return use(pointers) }
    return first.withUnsafeBytes {
      withPointers(to: values.dropFirst(), pointers + [$0], use)
    }
  }

  /// All elements in one list but the empty ones, read from its end while those who wrote them are trusted.
  private func expected(_ values: [[UInt8]]) -> IPAddress {
    let elements = values.flatMap { value in
      value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { $0.text }
    }
    var client = peer
    let blanks = [UInt8(ascii: " "), UInt8(ascii: "\t")]
    for element in elements.reversed() where proxies.trusts(client) {
      if element.utf8.allSatisfy(blanks.contains) { continue }
      guard let address = IPAddress(host(of: element)) else { return client }
      client = address
    }
    return client
  }

  private func host(of element: String) -> String {
    let text = String(
      decoding: element.utf8.drop { $0 == 0x20 || $0 == 0x09 }.reversed()
        .drop { $0 == 0x20 || $0 == 0x09 }.reversed(), as: UTF8.self)
    if text.utf8.first == UInt8(ascii: "[") {
      let end = text.utf8.firstIndex(of: UInt8(ascii: "]"))
      return end.map { String(text[..<$0].dropFirst()) } ?? "none"
    }
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    return parts.count == 2 ? String(decoding: parts[0], as: UTF8.self) : text
  }

  private func checkTrace(_ line: [UInt8]) {
    guard let trace = line.withUnsafeBytes({ TraceParent($0) }) else { return }
    let parts = line.text.split(separator: "-", omittingEmptySubsequences: false)
    require(parts.count == 4 || (parts.count > 4 && parts[0] != "00"), line.text)
    require(parts[1].utf8.elementsEqual(trace.traceID) && trace.traceID.count == 32, line.text)
    require(parts[2].utf8.elementsEqual(trace.parentID) && trace.parentID.count == 16, line.text)
    require(parts[0] != "ff" && Set(parts[1]) != ["0"] && Set(parts[2]) != ["0"], line.text)
  }

  private func checkBlock(_ text: String) {
    guard let block = block(text) else { return }
    require(self.block(block.description) == block, "\(text): \(block)")
  }

  private func block(_ text: String) -> AddressBlock? {
    do { return try AddressBlock(parsing: text) } catch { return nil }
  }
}
