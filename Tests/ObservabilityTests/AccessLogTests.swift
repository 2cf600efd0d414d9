import Foundation
import Synchronization
import Testing

@testable import Observability

@Suite struct AccessLogTests {
  private final class Reports: Sendable {
    let lines = Mutex<[String]>([])
  }

  private let directory = FileManager.default.temporaryDirectory.path + "/log-\(UUID().uuidString)"
  private let reports = Reports()
  private var path: String { directory + "/access.log" }

  init() throws {
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
  }

  private func open(bufferSize: Int = 1 << 20) throws -> AccessLog {
    try AccessLog(path: path, bufferSize: bufferSize) { [reports] line in
      reports.lines.withLock { $0.append(line) }
    }
  }

  private func line(_ number: Int) -> [UInt8] { Array("line \(number)\n".utf8) }

  private func lines(of path: String) throws -> [String] {
    // Foundation loses the memory that it reads an empty file into; the address sanitizer would say so.
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    guard size != 0 else { return [] }
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(
      String.init)
  }

  @Test func whatWasLoggedIsThereAfterTheClose() throws {
    try Data("before\n".utf8).write(to: URL(filePath: path))
    let log = try open()
    let buffers = [log.makeBuffer(), log.makeBuffer()]
    for number in 0..<1000 { _ = buffers[number % 2].append(line(number)) }
    log.close()
    let found = try lines(of: path)
    #expect(found.first == "before")
    let lines = (0..<1000).map { "line \($0)" }
    #expect(Set(found.dropFirst()).symmetricDifference(lines).isEmpty)
    #expect(found.count == 1001)
    #expect(log.droppedLines == 0)
  }

  @Test func aNewFileIsNotForEveryone() throws {
    let log = try open()
    log.close()
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    let mode = try #require(attributes[.posixPermissions] as? Int)
    #expect(mode & ~0o640 == 0)
    #expect(mode & 0o600 == 0o600)
  }

  @Test func reopeningLosesNoLine() throws {
    let log = try open()
    let buffer = log.makeBuffer()
    for round in 0..<20 {
      for number in 0..<100 { _ = buffer.append(line(round * 100 + number)) }
      try FileManager.default.moveItem(atPath: path, toPath: path + ".\(round)")
      try log.reopen()
    }
    log.close()
    let all = try ([path] + (0..<20).map { path + ".\($0)" }).flatMap { try lines(of: $0) }
    #expect(all.count == 2000)
    #expect(Set(all).count == 2000)
  }

  @Test func whatDoesNotFitIsDroppedAndCounted() throws {
    // Nothing can be written to this file, so that nothing leaves the buffer for good.
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: "/dev/full")
    let log = try open(bufferSize: 100)
    let buffer = log.makeBuffer()
    let taken = 1000
    for number in 0..<taken { _ = buffer.append(line(number)) }
    #expect(log.droppedLines > taken - 100)
    log.close()
    let reported = reports.lines.withLock { $0 }
    #expect(reported.filter { $0.contains("writing fails: No space left on device") }.count == 1)
    #expect(reported.contains { $0.contains("last lines could not be written") })
  }

  @Test func writingGoesOnWhenThereIsRoomAgain() throws {
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: "/dev/full")
    let log = try open()
    let buffer = log.makeBuffer()
    for number in 0..<100 { _ = buffer.append(line(number)) }
    while reports.lines.withLock({ $0.isEmpty }) { usleep(1000) }
    try FileManager.default.removeItem(atPath: path)
    try log.reopen()
    log.close()
    #expect(try lines(of: path) == (0..<100).map { "line \($0)" })
    #expect(reports.lines.withLock { $0.last } == "access log: writing works again")
  }

  @Test func aFileThatCannotBeOpenedIsRefusedAndKeepsTheOldOne() throws {
    let log = try open()
    let buffer = log.makeBuffer()
    try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(throws: AccessLogError.self) { try log.reopen() }
    #expect(throws: AccessLogError.self) { try open() }
    _ = buffer.append(line(1))
    log.close()
    #expect(try lines(of: path + ".1") == ["line 1"])
  }
}
