import Domain
import Foundation

/// An API key: what is accepted has the right form and checksum, and no single character can change.
struct APIKeyTarget: FuzzTarget {
  func run(_ input: [UInt8]) throws {
    check(input.text)
    guard input.count >= 10 else { return }
    // A right key that depends on the input, with one character changed.
    var numbers = Numbers(state: input.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    let right = APIKeySecret(using: &numbers)
    check(right.secret)
    require(APIKeySecret(right.secret) != nil, "a new key is not read")
    var bytes = Array(right.secret.utf8)
    let position = Int(input[8]) % bytes.count
    guard bytes[position] != input[9] else { return }
    bytes[position] = input[9]
    require(APIKeySecret(bytes.text) == nil, "mistyped and taken: \(bytes.text)")
    check(right.secret + input.dropFirst(10).text)
  }

  private func check(_ text: String) {
    guard let key = APIKeySecret(text) else { return }
    require(key.secret.utf8.elementsEqual(text.utf8), "the key is not what was sent")
    let bytes = Array(text.utf8)
    let parts = text.split(separator: "_", omittingEmptySubsequences: false)
    require(parts.map(\.utf8.count) == [3, 12, 49] && parts[0] == "llk", text)
    require("\(key)" == "key_\(parts[1])", "\(key)")
    let sum = bytes.suffix(6).reduce(UInt64(0)) { $0 * 62 + digit($1) }
    require(sum == UInt64(crc(bytes.dropLast(6))), "the checksum of \(text)")
  }

  private func digit(_ byte: UInt8) -> UInt64 {
    let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    return UInt64(need(digits.firstIndex(of: byte), "no digit: \(byte)"))
  }

  /// CRC-32 bit by bit, as ISO 3309 describes it.
  private func crc(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var crc: UInt32 = ~0
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
