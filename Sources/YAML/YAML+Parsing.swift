import CYAML
internal import UnicodeText

extension YAML {
  /// Reads one document, UTF-8.
  ///
  /// It also refuses a second document, anchors, aliases and tags, a key that is repeated or not a
  /// scalar, and nesting over ``maximumDepth``.
  ///
  /// - Parameter bytes: The whole file.
  /// - Returns: The document's root; `nil` where it is empty, only comments, or null.
  /// - Throws: ``YAMLError`` with line and column.
  public static func parse(_ bytes: [UInt8]) throws(YAMLError) -> Node? {
    // libyaml counts a byte order mark as a column and then takes the next line as indented less.
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: text.span)
    } catch {
      let (line, column) = place(of: error.byteOffsets.lowerBound, in: text)
      throw YAMLError(line: line, column: column, message: "a byte is not valid UTF-8")
    }
    guard let parser = Parser(text) else {
      throw YAMLError(line: 1, column: 1, message: "not enough memory")
    }
    return try parser.document()
  }

  /// The line and column of a byte.
  fileprivate static func place(
    of offset: Int, in bytes: some BidirectionalCollection<UInt8>
  ) -> (line: Int, column: Int) {
    let before = bytes.prefix(offset)
    let line = before.count { $0 == UInt8(ascii: "\n") }
    let lastLine = before.reversed().prefix { $0 != UInt8(ascii: "\n") }
    return (line + 1, lastLine.count { $0 & 0xC0 != 0x80 } + 1)
  }
}

/// Builds nodes from libyaml's events.
private final class Parser {
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private let parser: UnsafeMutablePointer<yaml_parser_t>

  init?(_ text: [UInt8]) {
    // libyaml keeps the pointer until it is deleted, so the bytes need memory of their own.
    bytes = .allocate(capacity: text.count)
    _ = bytes.initialize(fromContentsOf: text)
    parser = .allocate(capacity: 1)
    guard yaml_parser_initialize(parser) == 1 else {
      bytes.deallocate()
      parser.deallocate()
      return nil
    }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    bytes.deallocate()
  }

  func document() throws(YAMLError) -> YAML.Node? {
    _ = try next()
    guard try next().kind == .documentStart else { return nil }
    let root = try node(try next(), depth: 0)
    _ = try next()
    let end = try next()
    guard end.kind == .streamEnd else { throw end.error("a second document in one file") }
    return root.isNull ? nil : root
  }

  private func node(_ event: Event, depth: Int) throws(YAMLError) -> YAML.Node {
    let value: YAML.Value
    switch event.kind {
    case .scalar(let text, let quoted): value = .scalar(text, quoted: quoted)
    case .sequenceStart: value = .sequence(try items(depth: try below(depth, event)))
    case .mappingStart: value = .mapping(try entries(depth: try below(depth, event)))
    default: throw event.error("expected a value")
    }
    return YAML.Node(value: value, line: event.line, column: event.column)
  }

  private func below(_ depth: Int, _ event: Event) throws(YAMLError) -> Int {
    guard depth < YAML.maximumDepth else {
      throw event.error("nested more than \(YAML.maximumDepth) levels deep")
    }
    return depth + 1
  }

  private func items(depth: Int) throws(YAMLError) -> [YAML.Node] {
    var items: [YAML.Node] = []
    while true {
      let event = try next()
      if event.kind == .sequenceEnd { return items }
      items.append(try node(event, depth: depth))
    }
  }

  private func entries(depth: Int) throws(YAMLError) -> [(key: YAML.Node, value: YAML.Node)] {
    var entries: [(key: YAML.Node, value: YAML.Node)] = []
    var lines: [String: Int] = [:]
    while true {
      let event = try next()
      if event.kind == .mappingEnd { return entries }
      guard case .scalar(let text, _) = event.kind else {
        throw event.error("a key must be a plain or quoted text")
      }
      if let line = lines.updateValue(event.line, forKey: text) {
        throw event.error("the key '\(text)' is repeated, it is on line \(line) already")
      }
      let key = try node(event, depth: depth)
      entries.append((key, try node(try next(), depth: depth)))
    }
  }

  private func next() throws(YAMLError) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw failure() }
    defer { yaml_event_delete(&event) }
    return try Event(event)
  }

  /// The error that libyaml reported.
  private func failure() -> YAMLError {
    let state = parser.pointee
    let problem = state.problem.map { String(cString: $0) } ?? "this is not YAML"
    switch state.error {
    case YAML_MEMORY_ERROR:
      return YAMLError(line: 1, column: 1, message: "not enough memory")
    case YAML_READER_ERROR:
      // For this error libyaml gives only the offset.
      let (line, column) = YAML.place(of: state.problem_offset, in: bytes)
      return YAMLError(line: line, column: column, message: "a control character")
    default:
      let mark = state.problem_mark
      let isTab =
        mark.index < bytes.count && problem.contains("cannot start any token")
        && byte(line: mark.line, column: mark.column) == UInt8(ascii: "\t")
      return YAMLError(
        line: mark.line + 1, column: mark.column + 1,
        message: isTab ? "a tab cannot indent, use spaces" : problem)
    }
  }

  private func byte(line: Int, column: Int) -> UInt8? {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard line < lines.count else { return nil }
    return lines[line].filter { $0 & 0xC0 != 0x80 }.dropFirst(column).first
  }
}

/// One event, independent of libyaml's memory.
private struct Event {
  enum Kind: Equatable {
    case streamStart, streamEnd, documentStart, documentEnd
    case sequenceStart, sequenceEnd, mappingStart, mappingEnd
    case scalar(String, quoted: Bool)
  }

  let kind: Kind
  let line: Int
  let column: Int

  init(_ event: yaml_event_t) throws(YAMLError) {
    line = event.start_mark.line + 1
    column = event.start_mark.column + 1
    switch event.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      try Self.refuse(anchor: scalar.anchor, tag: scalar.tag, line, column)
      let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      let text = String(decoding: bytes, as: UTF8.self)
      guard text.isStreamSafe else {
        throw YAMLError(
          line: line, column: column,
          message: "more than \(CombiningRun.longest) combining characters in a row")
      }
      kind = .scalar(text, quoted: scalar.style != YAML_PLAIN_SCALAR_STYLE)
    case YAML_SEQUENCE_START_EVENT:
      let start = event.data.sequence_start
      try Self.refuse(anchor: start.anchor, tag: start.tag, line, column)
      kind = .sequenceStart
    case YAML_MAPPING_START_EVENT:
      let start = event.data.mapping_start
      try Self.refuse(anchor: start.anchor, tag: start.tag, line, column)
      kind = .mappingStart
    case YAML_SEQUENCE_END_EVENT: kind = .sequenceEnd
    case YAML_MAPPING_END_EVENT: kind = .mappingEnd
    case YAML_DOCUMENT_START_EVENT: kind = .documentStart
    case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
    case YAML_STREAM_END_EVENT: kind = .streamEnd
    case YAML_ALIAS_EVENT:
      throw YAMLError(line: line, column: column, message: "an alias (*) cannot be used here")
    default: kind = .streamStart
    }
  }

  func error(_ message: String) -> YAMLError {
    YAMLError(line: line, column: column, message: message)
  }

  private static func refuse(
    anchor: UnsafeMutablePointer<yaml_char_t>?, tag: UnsafeMutablePointer<yaml_char_t>?,
    _ line: Int, _ column: Int
  ) throws(YAMLError) {
    if anchor != nil {
      throw YAMLError(line: line, column: column, message: "an anchor (&) cannot be used here")
    }
    if tag != nil {
      throw YAMLError(line: line, column: column, message: "a tag (!) cannot be used here")
    }
  }
}
