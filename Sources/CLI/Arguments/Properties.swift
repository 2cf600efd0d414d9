/// An option with a value: `--name value` or `--name=value`.
@propertyWrapper
struct Option<Value>: ArgumentProperty {
  private let typed: TypedSlot<Value>

  var slot: ArgumentSlot { typed }
  var wrappedValue: Value { typed.current }
}

extension Option where Value: ExpressibleByArgument {
  /// An option that has to be given.
  init(_ valueName: String = "", help: String, completion: CompletionKind? = nil) {
    let definition = ArgumentDefinition(
      .option, of: Value.self, valueName, help: help, completion: completion, isRequired: true)
    typed = TypedSlot(definition, initial: nil) {
      (text, value) throws(InvalidValue) in value = try Value.reading(text ?? "")
    }
  }

  /// An option that can be left out.
  init(
    wrappedValue: Value, _ valueName: String = "", help: String, completion: CompletionKind? = nil
  ) {
    let definition = ArgumentDefinition(
      .option, of: Value.self, valueName, help: help, completion: completion,
      defaultValue: "\(wrappedValue)".nilIfEmpty)
    typed = TypedSlot(definition, initial: wrappedValue) {
      (text, value) throws(InvalidValue) in value = try Value.reading(text ?? "")
    }
  }
}

extension Option {
  /// An option without a value of its own where it is left out.
  init<Wrapped: ExpressibleByArgument>(
    _ valueName: String = "", help: String, completion: CompletionKind? = nil
  ) where Value == Wrapped? {
    let definition = ArgumentDefinition(
      .option, of: Wrapped.self, valueName, help: help, completion: completion)
    typed = TypedSlot(definition, initial: .some(nil)) {
      (text, value) throws(InvalidValue) in value = try Wrapped.reading(text ?? "")
    }
  }

  /// An option that can be repeated; a comma separates values too.
  init<Element: ExpressibleByArgument>(
    _ valueName: String = "", help: String
  ) where Value == [Element] {
    let definition = ArgumentDefinition(
      .option, of: Element.self, valueName, help: help, isRequired: true, isRepeating: true)
    typed = TypedSlot(definition, initial: nil) { (text, value) throws(InvalidValue) in
      var elements = value ?? []
      for part in (text ?? "").split(separator: ",", omittingEmptySubsequences: false) {
        elements.append(try Element.reading(String(part)))
      }
      value = elements
    }
  }

  /// An option that can be repeated or left out; each value is taken as it is, commas included.
  init(each valueName: String, help: String) where Value == [String]? {
    let definition = ArgumentDefinition(
      .option, of: String.self, valueName, help: help, isRepeating: true)
    typed = TypedSlot(definition, initial: .some(nil)) { (text, value) throws(InvalidValue) in
      value = ((value ?? nil) ?? []) + [text ?? ""]
    }
  }

  /// A number within bounds, or nil where it is left out.
  init(_ valueName: String, in range: ClosedRange<Int>, help: String) where Value == Int? {
    let definition = ArgumentDefinition(.option, of: Int.self, valueName, help: help)
    typed = TypedSlot(definition, initial: .some(nil)) {
      (text, value) throws(InvalidValue) in value = try range.reading(text ?? "")
    }
  }

  /// A number within bounds, with the one that counts where it is left out.
  init(
    wrappedValue: Int, _ valueName: String, in range: ClosedRange<Int>, help: String
  ) where Value == Int {
    let definition = ArgumentDefinition(
      .option, of: Int.self, valueName, help: help, defaultValue: "\(wrappedValue)")
    typed = TypedSlot(definition, initial: wrappedValue) {
      (text, value) throws(InvalidValue) in value = try range.reading(text ?? "")
    }
  }
}

/// An option without a value.
@propertyWrapper
struct Flag: ArgumentProperty {
  private let typed: TypedSlot<Bool>

  var slot: ArgumentSlot { typed }
  var wrappedValue: Bool { typed.current }

  init(help: String) {
    let definition = ArgumentDefinition(
      kind: .flag, valueName: "", help: help, allowedValues: [], completion: .nothing,
      isRequired: false, isRepeating: false, defaultValue: nil)
    typed = TypedSlot(definition, initial: false) { (_, value) throws(InvalidValue) in value = true
    }
  }
}

/// A value without a name, known by its place.
@propertyWrapper
struct Argument<Value>: ArgumentProperty {
  private let typed: TypedSlot<Value>

  var slot: ArgumentSlot { typed }
  var wrappedValue: Value { typed.current }

  init(
    _ valueName: String, help: String, completion: CompletionKind? = nil
  ) where Value: ExpressibleByArgument {
    let definition = ArgumentDefinition(
      .argument, of: Value.self, valueName, help: help, completion: completion, isRequired: true)
    typed = TypedSlot(definition, initial: nil) { (text, value) throws(InvalidValue) in
      value = try Value.reading(text ?? "")
    }
  }

  /// A value that can be left out, with what it is then.
  init(wrappedValue: Value, _ valueName: String, help: String) where Value: ExpressibleByArgument {
    let definition = ArgumentDefinition(
      .argument, of: Value.self, valueName, help: help, defaultValue: "\(wrappedValue)".nilIfEmpty)
    typed = TypedSlot(definition, initial: wrappedValue) { (text, value) throws(InvalidValue) in
      value = try Value.reading(text ?? "")
    }
  }

  /// A value that can be left out; an empty one is not left out.
  init<Wrapped: ExpressibleByArgument>(_ valueName: String, help: String) where Value == Wrapped? {
    let definition = ArgumentDefinition(.argument, of: Wrapped.self, valueName, help: help)
    typed = TypedSlot(definition, initial: .some(nil)) { (text, value) throws(InvalidValue) in
      value = try Wrapped.reading(text ?? "")
    }
  }
}

extension ArgumentDefinition {
  /// Something with a value; without a name of its own, the value is called by the values that there are.
  fileprivate init(
    _ kind: Kind, of type: (some ExpressibleByArgument).Type, _ valueName: String, help: String,
    completion: CompletionKind? = nil, isRequired: Bool = false, isRepeating: Bool = false,
    defaultValue: String? = nil
  ) {
    let allowed = type.allValueStrings
    self.init(
      kind: kind, valueName: valueName.isEmpty ? allowed.joined(separator: "|") : valueName,
      help: help, allowedValues: allowed,
      completion: completion ?? Self.paths[valueName] ?? type.completion, isRequired: isRequired,
      isRepeating: isRepeating, defaultValue: defaultValue)
  }

  /// What values of these names stand for.
  private static let paths: [String: CompletionKind] = ["FILE": .files, "DIRECTORY": .directories]
}

extension String {
  fileprivate var nilIfEmpty: String? { isEmpty ? nil : self }
}

extension ClosedRange<Int> {
  fileprivate func reading(_ text: String) throws(InvalidValue) -> Int {
    guard let number = Int(argument: text), contains(number) else {
      throw InvalidValue(text, expected: "a whole number from \(lowerBound) to \(upperBound)")
    }
    return number
  }
}
