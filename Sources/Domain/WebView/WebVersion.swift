/// A version of the cashback web: one to four numbers between points, such as `1.4.0`.
public struct WebVersion: Sendable, Comparable, CustomStringConvertible {
  /// How many seconds in the background an app waits before it asks for the version again.
  public static let backgroundThreshold = 1800

  /// As it was written.
  public let description: String
  private let parts: [Int]

  /// Takes `text` where it is a version: parts of ASCII digits, up to 9 each.
  public init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...4).contains(parts.count),
      parts.allSatisfy({ (1...9).contains($0.count) && $0.allSatisfy(\.isASCIIDigit) })
    else { return nil }
    description = text
    let numbers = parts.map { part in
      part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
    // Missing parts are 0.
    self.parts = numbers + Array(repeating: 0, count: 4 - numbers.count)
  }

  /// Whether an app with the version `current` has to clear its cache.
  ///
  /// - Parameter current: the device's version; nil where it has none.
  /// - Returns: true where this one is greater, or the device has none.
  public func clearsCache(of current: WebVersion?) -> Bool {
    current.map { $0 < self } ?? true
  }

  /// Orders versions part by part.
  public static func < (left: WebVersion, right: WebVersion) -> Bool {
    left.parts.lexicographicallyPrecedes(right.parts)
  }

  /// Whether both are the same version, however many parts were written.
  public static func == (left: WebVersion, right: WebVersion) -> Bool {
    left.parts == right.parts
  }
}
