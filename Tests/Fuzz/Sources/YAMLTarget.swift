import YAML

/// A YAML text: faults lie within it, and what is accepted is the same when written and read.
struct YAMLTarget: FuzzTarget {
  func run(_ input: [UInt8]) throws {
    let root: YAML.Node?
    do {
      root = try YAML.parse(input)
    } catch {
      require(error.line >= 1 && error.line <= input.count + 2, "line \(error.line)")
      require(error.column >= 1 && error.column <= input.count + 2, "column \(error.column)")
      return
    }
    // A key in flow style may have 1,024 bytes, its escapes included.
    guard let root, input.count < 100 else { return }
    let text = flow(root)
    let again = need(try YAML.parse(Array(text.utf8)), "nothing left of \(text)")
    require(flow(again) == text, "written and read: \(text) became \(flow(again))")
  }

  private func flow(_ node: YAML.Node) -> String {
    switch node.value {
    case .scalar(let text, _): quoted(text)
    case .sequence(let items): "[" + items.map(flow).joined(separator: ", ") + "]"
    case .mapping(let entries):
      "{" + entries.map { "\(flow($0.key)): \(flow($0.value))" }.joined(separator: ", ") + "}"
    }
  }

  private func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      (0x20...0x7E).contains(scalar.value) && scalar != "\"" && scalar != "\\"
        ? String(scalar) : "\\U" + hex(scalar.value)
    }
    return "\"" + escaped.joined() + "\""
  }

  private func hex(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 8 - digits.utf8.count) + digits
  }
}
