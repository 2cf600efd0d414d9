import Cryptography
import Testing

@Test func hashesAsTheStandardSays() {
  #expect(
    SHA256.hash(Array("abc".utf8)).hex
      == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
}
