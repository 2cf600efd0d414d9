/// An option with a value: `--name value` or `--name=value`.
@propertyWrapper
struct Option<Value>: ArgumentProperty {
  private let typed: TypedSlot<Value>

  var slot: ArgumentSlot { typed }
  var wrappedValue: Value { typed.current }
}

extension Option where Value: ExpressibleByArgument {
  /// A required option.
  init(_ valueName: String = "", help: String, completion: CompletionKind? = nil) {
    let definition = ArgumentDefinition(
      .option, of: Value.self, valueName, help: help, completion: completion, isRequired: true)
    typed = TypedSlot(definition, initial: nil) {
      (text, value) throws(InvalidValue) in value = try Value.reading(text ?? "")
    }
  }

  /// An option with a default.
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
  /// An option that is nil when it is not given.
  init<Wrapped: ExpressibleByArgument>(
    _ valueName: String = "", help: String, completion: CompletionKind? = nil
  ) where Value == Wrapped? {
    let definition = ArgumentDefinition(
      .option, of: Wrapped.self, valueName, help: help, completion: completion)
    typed = TypedSlot(definition, initial: .some(nil)) {
      (text, value) throws(InvalidValue) in value = try Wrapped.reading(text ?? "")
    }
  }

  /// A required option that may be repeated; a comma separates values as well.
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

  /// An option that may be repeated, nil when it is not given; a comma is part of its value.
  init(each valueName: String, help: String) where Value == [String]? {
    let definition = ArgumentDefinition(
      .option, of: String.self, valueName, help: help, isRepeating: true)
    typed = TypedSlot(definition, initial: .some(nil)) { (text, value) throws(InvalidValue) in
      value = ((value ?? nil) ?? []) + [text ?? ""]
    }
  }

  /// A number within bounds; nil when it is not given.
  init(_ valueName: String, in range: ClosedRange<Int>, help: String) where Value == Int? {
    let definition = ArgumentDefinition(.option, of: Int.self, valueName, help: help)
    typed = TypedSlot(definition, initial: .some(nil)) {
      (text, value) throws(InvalidValue) in value = try range.reading(text ?? "")
    }
  }

  /// A number within bounds, with a default.
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

/// A value that is known by its place and has no name.
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

  /// A value with a default.
  init(wrappedValue: Value, _ valueName: String, help: String) where Value: ExpressibleByArgument {
    let definition = ArgumentDefinition(
      .argument, of: Value.self, valueName, help: help, defaultValue: "\(wrappedValue)".nilIfEmpty)
    typed = TypedSlot(definition, initial: wrappedValue) { (text, value) throws(InvalidValue) in
      value = try Value.reading(text ?? "")
    }
  }

  /// A value that is nil when it is not given; an empty one is given.
  init<Wrapped: ExpressibleByArgument>(_ valueName: String, help: String) where Value == Wrapped? {
    let definition = ArgumentDefinition(.argument, of: Wrapped.self, valueName, help: help)
    typed = TypedSlot(definition, initial: .some(nil)) { (text, value) throws(InvalidValue) in
      value = try Wrapped.reading(text ?? "")
    }
  }
}

extension ArgumentDefinition {
  /// An option or an argument; with an empty `valueName` help lists the allowed values in its place.
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

  /// The completions of values with these names.
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
