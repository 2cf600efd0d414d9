import Cryptography
import Testing

/// The bytes that lower-case hexadecimal digits stand for.
func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }

func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }

/// A key as ciphers take it.
func locked(_ bytes: [UInt8]) throws(CryptographyError) -> LockedBytes {
  var bytes = bytes
  return try LockedBytes(taking: &bytes)
}
