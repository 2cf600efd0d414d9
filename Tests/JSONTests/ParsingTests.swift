import JSON
import Testing

@Test func parsesAnObjectInOrder() throws {
  let json = try JSON.parse(Array(#"{"b":1,"a":[true,null,"x",1.5]}"#.utf8))
  #expect(json == ["b": 1, "a": [true, nil, "x", 1.5]])
}
