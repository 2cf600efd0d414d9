import Testing
import YAML

@Test func readsNestedValuesWithTheirPlaces() throws {
  let root = try #require(try YAML.parse(Array("a: 1\nb:\n  - x\n  - 'yes'\n".utf8)))
  #expect(root["a"]?.int == 1)
  let item = try #require(root["b"]?.sequence?.last)
  #expect((item.string, item.line, item.column) == ("yes", 4, 5))
}
