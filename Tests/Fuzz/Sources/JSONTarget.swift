import Foundation
import JSON

/// A JSON text: what is accepted is what Foundation reads, and is the same when written and read.
struct JSONTarget: FuzzTarget {
  func run(_ input: [UInt8]) throws {
    let value: JSON
    do {
      value = try JSON.parse(input)
    } catch {
      let lines = input.count { $0 == UInt8(ascii: "\n") } + 1
      require((1...lines).contains(error.line), "line \(error.line) of \(lines)")
      require((1...input.count + 1).contains(error.column), "column \(error.column)")
      return
    }
    for pretty in [false, true] {
      let again = try JSON.parse(value.encoded(pretty: pretty))
      require(again == value, "written and read: \(value) became \(again)")
    }
    let second = try JSONSerialization.jsonObject(with: Data(input), options: .fragmentsAllowed)
    require(isSame(value, second), "\(value) is \(second) to Foundation")
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
