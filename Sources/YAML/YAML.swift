/// YAML as in configuration files: scalars, sequences and mappings with their positions.
///
/// Scalars have the types of the core schema of YAML 1.2 (section 10.3): a plain `yes` is a text.
public enum YAML {
  /// How deep sequences and mappings may nest.
  public static let maximumDepth = 32

  /// One node of a document.
  public struct Node: Sendable {
    /// What the node holds.
    public let value: Value
    /// The line where it starts, the first being 1.
    public let line: Int
    /// The column where it starts, the first being 1, counted in characters (code points).
    public let column: Int
  }

  /// What a node holds.
  public enum Value: Sendable {
    /// A scalar as written; `quoted` is true for quoted and block scalars (`|` and `>`), false for
    /// a plain one.
    case scalar(String, quoted: Bool)
    /// A list.
    case sequence([Node])
    /// The entries in order; keys are scalars, each only once.
    case mapping([(key: Node, value: Node)])
  }
}

extension YAML.Node {
  /// The text of a scalar as written, whatever its type; `nil` for null.
  public var string: String? {
    guard case .scalar(let text, _) = value, !isNull else { return nil }
    return text
  }

  /// The integer that a plain scalar writes in decimal digits.
  ///
  /// `nil` for anything else, also with a leading zero: YAML 1.1 reads `010` as 8, YAML 1.2 as 10.
  public var int: Int? {
    guard let text = plainText, let number = Int(text) else { return nil }
    let digits = text.drop { $0 == "-" || $0 == "+" }
    return digits.count > 1 && digits.first == "0" ? nil : number
  }

  /// The truth value that a plain `true` or `false` writes.
  public var bool: Bool? {
    switch plainText {
    case "true": true
    case "false": false
    default: nil
    }
  }

  /// Whether this is empty, `~` or `null`, unquoted.
  public var isNull: Bool {
    switch plainText {
    case "", "~", "null", "Null", "NULL": true
    default: false
    }
  }

  /// The items of a sequence.
  public var sequence: [YAML.Node]? {
    if case .sequence(let items) = value { items } else { nil }
  }

  /// The entries of a mapping, in order.
  public var mapping: [(key: YAML.Node, value: YAML.Node)]? {
    if case .mapping(let entries) = value { entries } else { nil }
  }

  /// The value of a mapping under `key`; `nil` for what is not a mapping.
  public subscript(key: String) -> YAML.Node? {
    mapping?.first { entry in
      if case .scalar(let text, _) = entry.key.value { text == key } else { false }
    }?.value
  }

  private var plainText: String? {
    if case .scalar(let text, quoted: false) = value { text } else { nil }
  }
}
