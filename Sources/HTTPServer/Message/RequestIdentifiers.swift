/// Makes request ids: 16 hexadecimal digits, random for each event loop, a hyphen and a count.
struct RequestIdentifiers {
  private static let digits = Array("0123456789abcdef".utf8)

  /// The last id, incremented in place, which is cheaper than formatting a number.
  private var text: [UInt8]

  init() {
    let random = (0..<16).map { _ in RequestIdentifiers.digits[Int.random(in: 0..<16)] }
    text = random + Array("-00000000000".utf8)
  }

  /// Writes the next id.
  mutating func write(into bytes: inout [UInt8]) {
    text.withUnsafeMutableBufferPointer { text in
      // Eleven digits outlast any process, so the carry never reaches the hyphen.
      for place in text.indices.reversed() {
        switch text[place] {
        case UInt8(ascii: "9"):
          text[place] = UInt8(ascii: "a")
          return
        case UInt8(ascii: "f"):
          text[place] = UInt8(ascii: "0")
        default:
          text[place] += 1
          return
        }
      }
    }
    bytes.removeAll(keepingCapacity: true)
    bytes.append(contentsOf: text)
  }
}
