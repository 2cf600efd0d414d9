/// Whether a text equals `word`, which is in lower case; ASCII case is ignored.
public func isWord(_ word: StaticString, _ text: String) -> Bool {
  var text = text
  return text.withUTF8 { isWord(word, UnsafeRawBufferPointer($0)) }
}

/// Whether bytes equal `word`, which is in lower case; ASCII case is ignored.
public func isWord(_ word: StaticString, _ bytes: UnsafeRawBufferPointer) -> Bool {
  guard bytes.count == word.utf8CodeUnitCount else { return false }
  for index in bytes.indices {
    let byte = bytes[index]
    let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
    guard (isUpper ? byte | 0x20 : byte) == word.utf8Start[index] else { return false }
  }
  return true
}
