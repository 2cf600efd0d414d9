import CJansson

/// Why a text is not acceptable JSON, and where.
///
/// It never contains text of the input.
public struct JSONError: Error, Equatable, CustomStringConvertible {
  /// The line, the first being 1.
  public let line: Int
  /// The column, the first being 1, counted in Unicode characters (code points), not bytes.
  ///
  /// It is the column of the last character of the error, or one past the last character where the
  /// text ends too early.
  public let column: Int
  /// What is wrong, in words for whoever wrote the text.
  public let message: String

  /// The message with its place.
  public var description: String { "line \(line), column \(column): \(message)" }

  init(line: Int, column: Int, message: String) {
    self.line = line
    self.column = column
    self.message = message
  }
}

extension JSONError {
  /// The message for an error of jansson.
  ///
  /// jansson ends many messages with a part of the input, which may hold a secret.
  init(_ error: json_error_t) {
    var error = error
    let code = json_error_code(&error)
    let text = withUnsafeBytes(of: &error.text) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    var column = Int(error.column)
    // For these jansson has not counted the character at fault.
    if code == json_error_premature_end_of_input || code == json_error_invalid_utf8
      || text.hasPrefix("control character") || text.hasPrefix("unexpected newline")
    {
      column += 1
    }
    self.init(
      line: max(1, Int(error.line)), column: max(1, column), message: Self.message(code, text))
  }

  private static func message(_ code: json_error_code, _ text: String) -> String {
    switch code {
    case json_error_premature_end_of_input: "the text ends before the value is complete"
    case json_error_end_of_input_expected: "there is something after the value"
    case json_error_invalid_utf8: "a byte is not valid UTF-8"
    case json_error_duplicate_key: "a member's name is repeated"
    case json_error_null_byte_in_key: "a member's name holds a NUL character"
    case json_error_numeric_overflow: "a number is too large"
    case json_error_out_of_memory: "not enough memory"
    case json_error_invalid_syntax: syntaxMessage(text)
    default: "this is not JSON"
    }
  }

  private static func syntaxMessage(_ text: String) -> String {
    let known: [(start: String, message: String)] = [
      ("string or '}' expected", "expected a member's name in quotation marks, or '}'"),
      ("string expected", "expected a member's name in quotation marks"),
      ("':' expected", "expected ':' after a member's name"),
      ("'}' expected", "expected ',' or '}' after a member"),
      ("']' expected", "expected ',' or ']' after an item"),
      ("unexpected token", "expected a value"),
      ("invalid token", "expected a value"),
      ("unexpected newline", "a string is not closed on its line"),
      ("control character", "a control character in a string must be escaped"),
      ("invalid escape", "an escape in a string is not one of JSON's"),
      ("invalid Unicode", "a \\u escape is half of a surrogate pair"),
    ]
    return known.first { text.hasPrefix($0.start) }?.message ?? "this is not JSON"
  }
}
