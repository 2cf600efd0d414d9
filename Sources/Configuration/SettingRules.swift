import Domain
import HTTPServer
import JSON
import YAML

extension SettingRule where Value == String {
  /// The path of a file or directory.
  static var path: Self {
    SettingRule(isText: true) { node, reader in
      guard let text = node.string, !text.isEmpty,
        text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
      else {
        reader.fault(at: node, "This has to be a path, without control characters.")
        return nil
      }
      return text
    } show: {
      .string($0)
    }
  }

  /// A URI scheme (RFC 3986 section 3.1) in lower case.
  static var scheme: Self {
    SettingRule(isText: true) { node, reader in
      guard let text = node.string, let first = text.utf8.first,
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first),
        text.utf8.allSatisfy({ isSchemeByte($0) }), text.utf8.count <= 64
      else {
        reader.fault(
          at: node, "This has to be a scheme without \"://\": a-z first, then a-z 0-9 + - and dots."
        )
        return nil
      }
      return text
    } show: {
      .string($0)
    }
  }
}

extension SettingRule where Value == String? {
  /// The path of a file; nil for none.
  static var optionalPath: Self {
    SettingRule(isText: true) { node, reader in
      SettingRule<String>.path.read(node, &reader)
    } show: {
      JSON($0)
    }
  }
}

extension SettingRule where Value == Bool {
  static var bool: Self {
    SettingRule { node, reader in
      if let value = node.bool { return value }
      reader.fault(at: node, "This has to be true or false.")
      return nil
    } show: {
      .bool($0)
    }
  }
}

extension SettingRule where Value == Int {
  /// A whole number within bounds.
  static func integer(_ range: ClosedRange<Int>) -> Self {
    SettingRule { node, reader in
      if let value = node.int, range.contains(value) { return value }
      reader.fault(
        at: node,
        "This has to be a whole number from \(range.lowerBound) to \(range.upperBound).")
      return nil
    } show: {
      .integer(Int64($0))
    }
  }
}

extension SettingRule where Value == ByteCount {
  /// An amount of memory within bounds, in bytes.
  static func size(_ range: ClosedRange<Int>) -> Self {
    SettingRule { node, reader in
      if let value = node.string.flatMap(ByteCount.init), range.contains(value.bytes) {
        return value
      }
      reader.fault(
        at: node,
        "This has to be an amount of memory from \(ByteCount(range.lowerBound)) to "
          + "\(ByteCount(range.upperBound)), such as 64MiB: a whole number with KiB, MiB or GiB.")
      return nil
    } show: {
      .string($0.description)
    }
  }
}

extension SettingRule where Value == Seconds {
  /// A length of time within bounds, in seconds.
  static func duration(_ range: ClosedRange<Int>) -> Self {
    SettingRule { node, reader in
      if let text = node.string, let value = try? Seconds(parsing: text),
        range.contains(value.count)
      {
        return value
      }
      reader.fault(
        at: node,
        "This has to be a length of time from \(range.lowerBound)s to \(range.upperBound)s, such as "
          + "30s or 2m.")
      return nil
    } show: {
      .string("\($0.count)s")
    }
  }
}

extension SettingRule where Value == Address {
  /// A numeric address with a port.
  static var address: Self {
    SettingRule(isText: true) { node, reader in
      do throws(AddressError) {
        return try Address(parsing: node.string ?? "")
      } catch {
        reader.fault(at: node, error.description)
        return nil
      }
    } show: {
      .string($0.description)
    }
  }
}

extension SettingRule where Value == TrustedProxies {
  /// Addresses and blocks of them.
  static var trustedProxies: Self {
    SettingRule { node, reader in
      guard let items = node.sequence else {
        reader.fault(
          at: node, "This has to be a list of addresses, such as [127.0.0.1, 10.0.0.0/8].")
        return nil
      }
      let blocks = items.compactMap { item -> AddressBlock? in
        do throws(AddressBlockError) {
          return try AddressBlock(parsing: item.string ?? "")
        } catch {
          reader.fault(at: item, error.description)
          return nil
        }
      }
      return TrustedProxies(blocks)
    } show: {
      .array($0.blocks.map { .string($0.description) })
    }
  }
}

extension SettingRule where Value == PublicURL? {
  /// An origin; nil for none.
  static var publicURL: Self {
    SettingRule(isText: true) { node, reader in
      if let url = PublicURL(node.string ?? "") { return url }
      reader.fault(
        at: node,
        "This has to be scheme, host and port alone, such as https://launch.example; http only for a "
          + "loopback host such as 127.0.0.1, since a session's cookie is safe nowhere else without TLS."
      )
      return nil
    } show: {
      JSON($0?.origin)
    }
  }
}

private func isSchemeByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
    UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
    true
  default: false
  }
}
