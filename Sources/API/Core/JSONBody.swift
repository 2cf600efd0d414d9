internal import Domain
internal import Encoding
internal import HTTPServer
internal import JSON

extension Request {
  /// The members of the JSON object in the body, checked for type, size and syntax in this order.
  func jsonObject() throws -> [JSON.Member] {
    try checkJSONBody()
    return try parsedObject()
  }

  /// Checks type and size of the body, in this order.
  ///
  /// A request with a body takes no query: one is refused.
  func checkJSONBody() throws {
    try refuseQuery()
    guard hasJSONMediaType else {
      throw Problem(
        .unsupportedMediaType, "The body has to be JSON: send Content-Type: application/json.")
    }
    guard !isEncoded else {
      throw Problem(
        .unsupportedMediaType,
        "The body has a Content-Encoding. Send it as it is, uncompressed, and leave that header out."
      )
    }
    if bodyTooLarge {
      throw Problem(
        .bodyTooLarge, "The body is too large. Send at most 16 KiB, to /launch/batch 256 KiB.")
    }
  }

  /// The members of the JSON object in a body that was checked for type and size.
  func parsedObject() throws -> [JSON.Member] {
    let value: JSON
    do {
      value = try JSON.parse(body)
    } catch {
      throw Problem(
        .invalidJSON,
        "The body cannot be read as JSON at line \(error.line), column \(error.column): \(error.message)."
      )
    }
    guard let members = value.objectValue else {
      throw Problem(noObjectAt: "", "The body has to be a JSON object.")
    }
    return members
  }

  /// `application/json`, whatever its parameters (RFC 9110 section 8.3.1).
  private var hasJSONMediaType: Bool {
    withHeader("content-type") { value in
      guard let value else { return false }
      if isWord("application/json", value) { return true }
      var type = value.prefix { $0 != UInt8(ascii: ";") }
      while type.last == UInt8(ascii: " ") || type.last == UInt8(ascii: "\t") { type.removeLast() }
      return isWord("application/json", UnsafeRawBufferPointer(rebasing: type))
    }
  }
}

/// Reads the members of one JSON object and collects their faults; `null` counts as absent.
struct MemberReader {
  /// The most unknown members that are reported, so that a body with thousands costs no more than reading it.
  private static let mostUnknown = 10

  private(set) var faults: [FieldFault] = []
  private let members: [JSON.Member]
  private let known: [String]

  /// Makes a reader of an object's members; `known` are the names that they may have.
  init(_ members: [JSON.Member], known: [String]) {
    self.members = members
    self.known = known
  }

  mutating func string(_ name: String) -> String? { read(name, "a string") { $0.stringValue } }

  mutating func integer(_ name: String) -> Int64? {
    // JSON has one kind of number: 300 and 300.0 are the same.
    read(name, "a whole number") {
      $0.integerValue ?? $0.doubleValue.flatMap(Int64.init(exactly:))
    }
  }

  mutating func bool(_ name: String) -> Bool? { read(name, "true or false") { $0.boolValue } }

  mutating func array(_ name: String) -> [JSON]? { read(name, "an array") { $0.arrayValue } }

  mutating func object(_ name: String) -> [JSON.Member]? {
    read(name, "an object") { $0.objectValue }
  }

  /// The member's value by `take`; a member of another type is reported.
  private mutating func read<Value>(
    _ name: String, _ kind: String, _ take: (JSON) -> Value?
  ) -> Value? {
    guard let value = value(name) else { return nil }
    let taken = take(value)
    if taken == nil { faults.append(FieldFault(name, .invalidField, "\(name) has to be \(kind).")) }
    return taken
  }

  mutating func report(_ fault: FieldFault) {
    faults.append(fault)
  }

  /// Reports members with unknown names, at most `mostUnknown`.
  mutating func refuseOthers() {
    let unknown = members.lazy.filter { [known] member in
      !known.contains { $0.hasSameBytes(as: member.name) }
    }
    for member in unknown.prefix(Self.mostUnknown) {
      faults.append(
        FieldFault(
          member.name, .unknownField,
          "There is no such field here. Known fields: \(known.joined(separator: ", ")).",
          suggestions: nearest(to: member.name, in: known)))
    }
  }

  private func value(_ name: String) -> JSON? {
    for member in members where member.name.hasSameBytes(as: name) {
      return member.value.isNull ? nil : member.value
    }
    return nil
  }
}

/// Whether bytes equal the name of a member, case included.
func isName(_ name: StaticString, _ bytes: UnsafeRawBufferPointer) -> Bool {
  guard bytes.count == name.utf8CodeUnitCount else { return false }
  for index in bytes.indices where bytes[index] != name.utf8Start[index] { return false }
  return true
}
