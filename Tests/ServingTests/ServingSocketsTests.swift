import Configuration
import Glibc
import HTTPServer
import Testing

@testable import Serving

@Suite("Sockets that were passed in")
struct ServingSocketsTests {
  /// A socket that listens on a free port of 127.0.0.1; the test that makes it closes it.
  private func listening() throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    try #require(isBound && listen(descriptor, 1) == 0)
    return descriptor
  }

  @Test(
    "are known by their names, and without names by their order",
    arguments: [
      (["api", "operations"], [0, 1]), (["operations", "api"], [1, 0]), (["", ""], [0, 1]),
      (["x", "api"], [1, 0]), (["operations", "x"], [1, 0]),
    ])
  func names(names: [String], places: [Int]) throws {
    let descriptors = [try listening(), try listening()]
    defer { for descriptor in descriptors { close(descriptor) } }
    let sockets = try ServingSockets(
      zip(names, descriptors).map { ServiceManager.Socket(name: $0, descriptor: $1) })
    #expect(sockets.api?.descriptor == descriptors[places[0]])
    #expect(sockets.operations?.descriptor == descriptors[places[1]])
  }

  @Test("none, or one, leave the rest to the configuration")
  func few() throws {
    let none = try ServingSockets([])
    #expect(none.api == nil && none.operations == nil)
    let descriptor = try listening()
    defer { close(descriptor) }
    let one = try ServingSockets([.init(name: "operations", descriptor: descriptor)])
    #expect(one.api == nil && one.operations?.descriptor == descriptor)
  }

  @Test("two for the same listener are refused", arguments: [["api", "api"], ["", "", ""]])
  func tooMany(names: [String]) throws {
    let descriptors = try names.map { _ in try listening() }
    defer { for descriptor in descriptors { close(descriptor) } }
    let error = try #require(throws: SetupError.self) {
      try ServingSockets(
        zip(names, descriptors).map { ServiceManager.Socket(name: $0, descriptor: $1) })
    }
    #expect(error.kind == .configuration)
    #expect(error.description.hasPrefix("Two sockets were passed in for "))
  }
}
