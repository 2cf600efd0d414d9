/// An amount of memory; settings write it as a whole number with `KiB`, `MiB` or `GiB`.
public struct ByteCount: Sendable, Equatable, CustomStringConvertible {
  private static let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]

  /// The number of bytes.
  public let bytes: Int

  /// Makes an amount of a number of bytes.
  public init(_ bytes: Int) {
    self.bytes = bytes
  }

  /// Reads an amount such as `64MiB`; nil for any other text, and for more bytes than an integer holds.
  init?(_ text: String) {
    guard let (name, size) = Self.units.first(where: { text.hasSuffix($0.0) }) else { return nil }
    let digits = text.dropLast(name.count)
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(digits)
    else { return nil }
    let (bytes, isOver) = number.multipliedReportingOverflow(by: size)
    guard !isOver else { return nil }
    self.bytes = bytes
  }

  /// The amount in the largest unit that divides it.
  public var description: String {
    let unit = Self.units.first { bytes.isMultiple(of: $0.1) }
    return unit.map { "\(bytes / $0.1)\($0.0)" } ?? "\(bytes) bytes"
  }
}
