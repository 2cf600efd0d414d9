import SQLite
import Testing

@Suite struct ValueTests {
  let temporary: TemporaryDatabase
  let connection: Connection

  init() throws {
    temporary = try TemporaryDatabase()
    connection = try temporary.connect()
    try connection.script("CREATE TABLE v (x ANY) STRICT")
  }

  /// What comes back of a bound value, and what SQLite calls its type.
  func stored(_ value: (any Bindable)?) throws -> (value: Value, type: String)? {
    try connection.run("DELETE FROM v")
    try connection.run("INSERT INTO v VALUES (?)", value)
    return try connection.first("SELECT x, typeof(x) FROM v") { row in
      (try row.value(0), try row.text(1))
    }
  }

  static let values: [(any Bindable & Sendable, Value, String)] = [
    (1, .integer(1), "integer"), (Int64.min, .integer(.min), "integer"),
    (true, .integer(1), "integer"), (false, .integer(0), "integer"),
    (1.5, .real(1.5), "real"), (Double.infinity, .real(.infinity), "real"),
    ("뷰티", .text("뷰티"), "text"), ("", .text(""), "text"), ("1", .text("1"), "text"),
    ("a\0b\0", .text("a\0b\0"), "text"), ("e\u{301}", .text("e\u{301}"), "text"),
    (
      "longer than what Swift keeps inside a string",
      .text("longer than what Swift keeps inside a string"), "text"
    ),
    ([UInt8]("text".utf8), .blob([UInt8]("text".utf8)), "blob"), ([UInt8](), .blob([]), "blob"),
    ([0, 0xFF, 0] as [UInt8], .blob([0, 0xFF, 0]), "blob"),
    (Optional("x"), .text("x"), "text"), (Int?.none, .null, "null"),
    (Value.blob([1]), .blob([1]), "blob"),
  ]

  @Test(arguments: values.indices) func storesEachTypeAsItself(_ index: Int) throws {
    let (bound, expected, type) = Self.values[index]
    let result = try #require(try stored(bound))
    #expect(result.value == expected)
    #expect(result.type == type)
  }

  @Test func bindsNil() throws {
    let absent: String? = nil
    #expect(try stored(nil)?.value == .null)
    #expect(try stored(absent)?.value == .null)
  }

  @Test func readsEachTypeAsAskedFor() throws {
    let sql = "SELECT 7, 1, 2.5, 'a' || char(0) || 'b', x'00ff', NULL"
    try connection.forEach(sql) { row in
      let count = row.columnCount
      #expect(count == 6)
      let integers = [try row.int(0), try row.optionalInt(0), try row.optionalInt(5)]
      #expect(integers == [7, 7, nil])
      let truths = [try row.bool(1), try row.optionalBool(1), try row.optionalBool(5)]
      #expect(truths == [true, true, nil])
      let numbers = [try row.double(2), try row.double(0), try row.optionalDouble(5)]
      #expect(numbers == [2.5, 7, nil])
      let texts = [try row.text(3), try row.optionalText(3), try row.optionalText(5)]
      #expect(texts == ["a\0b", "a\0b", nil])
      let blobs = [try row.blob(4), try row.optionalBlob(4), try row.optionalBlob(5)]
      #expect(blobs == [[0, 0xFF], [0, 0xFF], nil])
      let length = try row.withBlob(4) { $0.count }
      #expect(length == 2)
      let nulls = (0..<6).map { row.isNull($0) }
      #expect(nulls == [false, false, false, false, false, true])
    }
  }

  @Test func refusesNullAndOtherTypes() throws {
    typealias Read = (borrowing Row) throws -> Void
    let faulty: [(String, Read)] = [
      ("NULL", { _ = try $0.int(0) }), ("NULL", { _ = try $0.text(0) }),
      ("NULL", { _ = try $0.blob(0) }), ("NULL", { _ = try $0.bool(0) }),
      ("NULL", { _ = try $0.double(0) }), ("'1'", { _ = try $0.int(0) }),
      ("1.0", { _ = try $0.int(0) }), ("1", { _ = try $0.text(0) }),
      ("x'31'", { _ = try $0.text(0) }), ("'1'", { _ = try $0.blob(0) }),
      ("'1'", { _ = try $0.double(0) }), ("2", { _ = try $0.bool(0) }),
      ("'1'", { _ = try $0.optionalInt(0) }), ("CAST(x'ff' AS TEXT)", { _ = try $0.text(0) }),
    ]
    for (expression, read) in faulty {
      let refused = try error { try connection.forEach("SELECT \(expression) AS it", body: read) }
      #expect(refused.kind == .unexpectedValue, "\(expression)")
      #expect(refused.message.contains("(it)"), "\(expression)")
    }
  }
}
