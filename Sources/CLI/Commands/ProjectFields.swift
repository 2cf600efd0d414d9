import Configuration
import Domain
import Glibc
import Platform

/// The checks of options that `project create` and `project update` share.
enum ProjectFields {
  static func name(_ name: String) throws -> String {
    do throws(NameRule.Objection) {
      return try Project.name(name)
    } catch {
      throw UsageError("--name: \(error)")
    }
  }

  static func upstream(_ name: String, in context: Context) throws -> String {
    let known = try context.configuration().site.upstreams.keys.sorted()
    guard known.contains(name) else {
      let meant = didYouMean(name, known)
      throw UsageError(
        "--upstream: \(quoted(name)) is not configured; there are "
          + known.joined(separator: ", ") + meant.closed)
    }
    return name
  }
}

extension NameRule {
  /// Checks an option's value as a name; throws `UsageError`.
  static func option(
    _ option: String, _ text: String, lengths: ClosedRange<Int>
  ) throws(UsageError) -> String {
    do throws(Objection) {
      return try name(text, lengths: lengths)
    } catch {
      throw UsageError("\(option): \(error)")
    }
  }
}

/// Reads a Web API Key from a file or standard input, and never shows it.
enum WebAPIKey {
  static let limit = 512

  /// Reads the key from a file, or from standard input when `file` is `-`.
  static func read(_ file: String, console: Console) throws -> String {
    var bytes = try content(of: file, console: console)
    if bytes.last == UInt8(ascii: "\n") {
      bytes.removeLast()
      if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    }
    let key = String(decoding: bytes, as: UTF8.self)
    guard (1...limit).contains(bytes.count), key.isVisibleASCII else {
      throw CommandFailure(
        .badData,
        "The Web API Key has to be 1 to \(limit) visible ASCII characters on a single line.")
    }
    return key
  }

  private static func content(of file: String, console: Console) throws -> [UInt8] {
    let room = limit + 2
    guard file == "-" else { return try readFile(file, limit: room) }
    guard console.isInteractive else { return try console.readInput(room) }
    console.writeError(Array("Web API Key (not shown): ".utf8))
    let line = console.readLine(false) ?? ""
    console.writeError([UInt8(ascii: "\n")])
    return Array(line.utf8)
  }
}
