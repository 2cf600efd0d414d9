import Domain

/// A structured field: what is accepted is the same when its members are written anew and read.
struct StructuredFieldTarget: FuzzTarget {
  func run(_ input: [UInt8]) throws {
    guard let dictionary = StructuredDictionary(input.text) else { return }
    let parts = dictionary.members.map { member in
      // A member that is true without saying so has parameters only.
      let isBare = member.text.isEmpty || member.text.utf8.first == UInt8(ascii: ";")
      return member.key + (isBare ? "" : "=") + member.text
    }
    let again = need(
      StructuredDictionary(parts.joined(separator: ", ")), "not read again: \(parts)")
    require(again.members.count == dictionary.members.count, "\(parts)")
    for (old, new) in zip(dictionary.members, again.members) {
      require(old.key == new.key && old.text.utf8.elementsEqual(new.text.utf8), "\(old) \(new)")
      require(input.text.contains(old.text), "\(old.text) is not what was sent")
      require(isSame(old.content, new.content), "\(old.content) \(new.content)")
      require(isSame(old.parameters, new.parameters), "\(old.parameters) \(new.parameters)")
    }
    require(Set(dictionary.members.map(\.key)).count == dictionary.members.count, "a key twice")
  }

  private func isSame(
    _ left: StructuredDictionary.Content, _ right: StructuredDictionary.Content
  ) -> Bool {
    switch (left, right) {
    case (.item(let left), .item(let right)): left == right
    case (.list(let left), .list(let right)):
      left.count == right.count
        && zip(left, right).allSatisfy {
          $0.value == $1.value && isSame($0.parameters, $1.parameters)
        }
    default: false
    }
  }

  private func isSame(
    _ left: StructuredDictionary.Parameters, _ right: StructuredDictionary.Parameters
  ) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { $0 == $1 }
  }
}
