import Cryptography
import Domain
import DomainFixtures
import Foundation
import JSON
import Testing

/// The files of `vectors/`: inputs and right values computed by independent code.
enum Vectors {
  static func load(_ name: String) throws -> JSON {
    let url = try #require(
      Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "vectors"))
    return try JSON.parse(Array(Data(contentsOf: url)))
  }
}

extension JSON {
  func text(_ name: String) throws -> String { try #require(self[name]?.stringValue) }
  func list(_ name: String) throws -> [JSON] { try #require(self[name]?.arrayValue) }
}

/// The faults that issuing reports, as `field code`.
func faults(_ change: (inout LaunchRequest) -> Void) throws -> [String] {
  do {
    _ = try issue(change)
    return []
  } catch let faults as FieldFaults {
    return faults.all.map { "\($0.field) \($0.code.rawValue)" }
  }
}
