import Testing

@testable import Observability

@Suite struct TraceParentTests {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"
  private static let parent = "b7ad6b7169203331"

  private func read(_ text: String) -> TraceParent? {
    Array(text.utf8).withUnsafeBytes { TraceParent($0) }
  }

  @Test(arguments: [
    "00-\(trace)-\(parent)-01", "00-\(trace)-\(parent)-00", "00-\(trace)-\(parent)-ff",
    "cc-\(trace)-\(parent)-01", "cc-\(trace)-\(parent)-01-what-comes-later",
  ])
  func taken(_ text: String) throws {
    let found = try #require(read(text))
    #expect(String(decoding: found.traceID, as: UTF8.self) == Self.trace)
    #expect(String(decoding: found.parentID, as: UTF8.self) == Self.parent)
  }

  @Test(arguments: [
    "", "00", "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-", "00-\(trace)-\(parent)-1",
    "00-\(trace)-\(parent)-01-", "00-\(trace)-\(parent)-01-x", "00-\(trace)-\(parent)-011",
    "cc-\(trace)-\(parent)-01x", "ff-\(trace)-\(parent)-01", "0g-\(trace)-\(parent)-01",
    "00-\(trace.uppercased())-\(parent)-01", "00-\(trace)-B7ad6b7169203331-01",
    "00-\(trace)-\(parent)-0A", "00-00000000000000000000000000000000-\(parent)-01",
    "00-\(trace)-0000000000000000-01", "00_\(trace)-\(parent)-01", "00-\(trace)_\(parent)-01",
    "00-\(trace)-\(parent)_01", "00-\(trace.dropLast())\"-\(parent)-01",
    "00-\(trace.dropLast())\n-\(parent)-01",
  ])
  func ignored(_ text: String) {
    #expect(read(text) == nil)
  }
}
