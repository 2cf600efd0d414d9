/// The description of an option, a flag or an argument for help, completions and the parser.
struct ArgumentDefinition {
  enum Kind {
    case option
    case flag
    case argument
  }

  let kind: Kind
  /// The name, made from the property's: an option's without its dashes.
  var name = ""
  /// The value's name in help, such as `FILE`.
  let valueName: String
  let help: String
  /// All values, when there is a fixed list of them.
  let allowedValues: [String]
  /// What a shell can offer for its value.
  let completion: CompletionKind
  let isRequired: Bool
  let isRepeating: Bool
  /// The default, as help shows it.
  let defaultValue: String?

  /// The form on a command line, such as `--id ID`.
  var usage: String {
    switch kind {
    case .flag: "--\(name)"
    case .option: "--\(name) \(valueName)"
    case .argument: valueName
    }
  }
}

/// The place of an argument's value, which the parser fills and the command reads.
class ArgumentSlot {
  var definition: ArgumentDefinition
  fileprivate(set) var isGiven = false

  init(_ definition: ArgumentDefinition) {
    self.definition = definition
  }

  /// Takes one value as typed; `nil` for a flag.
  func accept(_ text: String?) throws(InvalidValue) {
    preconditionFailure("a slot without a type cannot hold a value")
  }
}

/// A slot for values of one type.
final class TypedSlot<Value>: ArgumentSlot {
  private var value: Value?
  private let take: (String?, inout Value?) throws(InvalidValue) -> Void

  init(
    _ definition: ArgumentDefinition, initial: Value?,
    take: @escaping (String?, inout Value?) throws(InvalidValue) -> Void
  ) {
    value = initial
    self.take = take
    super.init(definition)
  }

  override func accept(_ text: String?) throws(InvalidValue) {
    try take(text, &value)
    isGiven = true
  }

  /// The value, which the parser has set before a command runs.
  var current: Value {
    guard let value else { preconditionFailure("\(definition.name) was read before parsing") }
    return value
  }
}

/// A property of a command that holds an argument.
protocol ArgumentProperty {
  var slot: ArgumentSlot { get }
}

/// Options that several commands share, as one property.
protocol ArgumentGroup {}

/// The slots of a command's arguments, in the order of its properties.
func argumentSlots(of command: Any) -> [ArgumentSlot] {
  Mirror(reflecting: command).children.flatMap { label, value -> [ArgumentSlot] in
    if value is any ArgumentGroup { return argumentSlots(of: value) }
    guard let property = value as? any ArgumentProperty else { return [] }
    let slot = property.slot
    // The property `webAPIKeyFile` is stored as `_webAPIKeyFile` and typed as `--web-api-key-file`.
    slot.definition.name = (label ?? "").drop { $0 == "_" }.kebabCased
    return [slot]
  }
}

extension Substring {
  /// `webAPIKeyFile` as `web-api-key-file`.
  var kebabCased: String {
    var result = ""
    let letters = Array(self)
    for (index, letter) in letters.enumerated() {
      let followsLower = index > 0 && letters[index - 1].isLowercase
      let startsWord =
        index > 0 && index + 1 < letters.count && letters[index + 1].isLowercase
        && letters[index - 1].isUppercase
      if letter.isUppercase, followsLower || startsWord { result.append("-") }
      result += letter.lowercased()
    }
    return result
  }
}
