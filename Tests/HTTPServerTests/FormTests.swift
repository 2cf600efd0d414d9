import HTTPServer
import Testing

@Suite("Forms") struct FormTests {
  private func items(_ body: String) -> [String]? {
    Request(.post, "/", body: Array(body.utf8)).formItems()?.map { "\($0.name)→\($0.value)" }
  }

  @Test("a body's names and values are decoded as browsers encode them")
  func decoding() {
    #expect(items("") == [])
    #expect(items("a=1&b=%EC%BF%A0%ED%8C%A1+x&c&a=%3D%26") == ["a→1", "b→쿠팡 x", "c→", "a→=&"])
    #expect(items("text=one%0D%0Atwo") == ["text→one\r\ntwo"])
  }

  @Test("a broken escape, a NUL and what is not UTF-8 are refused whole")
  func refusals() {
    for body in ["a=%", "a=%4", "a=%zz", "a=1&b=%00", "a=%FF", "%C3=1"] {
      #expect(items(body) == nil, "\(body)")
    }
  }
}
