import Foundation
import JSON

/// A JSON text: what is accepted is what Foundation reads, and is the same when written and read.
struct JSONTarget: FuzzTarget {
  func run(_ input: [UInt8]) throws {
    let nested = nestedObject(input)
    let value: JSON
    do {
      value = try JSON.parse(input)
    } catch {
      require(nested == nil, "refused, and read in bytes")
      let lines = input.count { $0 == UInt8(ascii: "\n") } + 1
      require((1...lines).contains(error.line), "line \(error.line) of \(lines)")
      require((1...input.count + 1).contains(error.column), "column \(error.column)")
      return
    }
    if let nested { require(nested == value, "\(nested) in bytes, not \(value)") }
    for pretty in [false, true] {
      let again = try JSON.parse(value.encoded(pretty: pretty))
      require(again == value, "written and read: \(value) became \(again)")
    }
    let second = try JSONSerialization.jsonObject(with: Data(input), options: .fragmentsAllowed)
    require(isSame(value, second), "\(value) is \(second) to Foundation")
  }

  /// The value that is read without jansson; nil for any but objects of strings and truth values, and of such objects.
  private func nestedObject(_ input: [UInt8]) -> JSON? {
    var members: [JSON.Member] = []
    var inner: [JSON.Member] = []
    let isRead = input.withUnsafeBytes { bytes in
      JSON.readNestedObject(bytes) { member in
        let value: JSON? =
          switch member.value {
          case .string(let text, let hasMarks):
            .string(hasMarks ? text.text.replacingOccurrences(of: "\\\"", with: "\"") : text.text)
          case .bool(let truth): .bool(truth)
          case .object: nil
          }
        guard let value else {
          inner = []
          members.append(JSON.Member(name: member.name.text, value: .object([])))
          return true
        }
        if let object = member.object {
          inner.append(JSON.Member(name: member.name.text, value: value))
          members[members.count - 1] = JSON.Member(name: object.text, value: .object(inner))
        } else {
          members.append(JSON.Member(name: member.name.text, value: value))
        }
        return true
      }
    }
    return isRead ? .object(members) : nil
  }

  private func isSame(_ value: JSON, _ other: Any) -> Bool {
    switch value {
    case .null: other is NSNull
    case .bool(let truth): (other as? Bool) == truth
    case .integer(let number): (other as? NSNumber)?.int64Value == number
    // Foundation takes some by way of its decimal numbers, which rounds twice.
    case .number(let number):
      (other as? NSNumber).map { abs($0.doubleValue - number) <= 4 * number.ulp } ?? false
    case .string(let text): (other as? String).map { $0.utf8.elementsEqual(text.utf8) } ?? false
    case .array(let items): isSame(items, other as? [Any])
    case .object(let members): isSame(members, other as? [String: Any])
    }
  }

  private func isSame(_ items: [JSON], _ others: [Any]?) -> Bool {
    guard let others, items.count == others.count else { return false }
    return zip(items, others).allSatisfy(isSame)
  }

  private func isSame(_ members: [JSON.Member], _ others: [String: Any]?) -> Bool {
    guard let others else { return false }
    // Foundation takes composed and decomposed names for one; then there is nothing to compare.
    let names = Set(members.map(\.name))
    return names.count < members.count
      || (members.count == others.count
        && members.allSatisfy { member in
          others[member.name].map { isSame(member.value, $0) } ?? false
        })
  }
}
