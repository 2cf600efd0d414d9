import Configuration
@preconcurrency import Glibc

/// The process's arguments and variables, which the system hands over as bytes, as text.
///
/// Text that is not UTF-8 is refused, file names included: a repaired text would be stored as something that nobody
/// typed, and would name another file.
struct ProcessInput {
  /// The arguments without the program's own name.
  private(set) var arguments: [String] = []
  /// The variables that are UTF-8, by name.
  private(set) var environment: [String: String] = [:]
  /// What is refused, in words; empty when the program may run.
  private(set) var faults: [String] = []

  /// The variables that the program reads besides its settings; the bytes of others are no fault.
  private static let read: Set = [
    "SUDO_USER", "CREDENTIALS_DIRECTORY", "TMPDIR", "SOURCE_DATE_EPOCH",
  ]

  /// Reads both.
  ///
  /// - Parameters:
  ///   - arguments: the bytes of each argument, the program's own name left out.
  ///   - environment: the bytes of each `NAME=VALUE`.
  init(arguments: [[UInt8]], environment: [[UInt8]]) {
    for (index, bytes) in arguments.enumerated() {
      if let text = String(validating: bytes, as: UTF8.self) {
        self.arguments.append(text)
      } else {
        let option = index > 0 ? Self.optionName(arguments[index - 1]) : nil
        faults.append(
          "argument \(index + 1)\(option.map { ", behind \($0)," } ?? "") is not UTF-8: "
            + Self.escaped(bytes))
      }
    }
    for bytes in environment {
      let parts = bytes.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      if let name = String(validating: parts[0], as: UTF8.self),
        let value = String(validating: parts[1], as: UTF8.self)
      {
        // As getenv(3) has it, the first of a name counts.
        if self.environment[name] == nil { self.environment[name] = value }
      } else if isRead(parts[0]) {
        faults.append(
          "the variable \(Self.shown(parts[0])) is not UTF-8: \(Self.escaped(parts[1]))")
      }
    }
  }

  /// The input of this process.
  static var ofProcess: ProcessInput {
    let arguments = strings(CommandLine.unsafeArgv).dropFirst()
    return ProcessInput(
      arguments: Array(arguments), environment: strings(environ))
  }

  private func isRead(_ name: ArraySlice<UInt8>) -> Bool {
    name.starts(with: "LAUNCHLINK_".utf8)
      || Self.read.contains { $0.utf8.elementsEqual(name) }
  }

  /// The name of the option that an argument is; nil for other arguments.
  private static func optionName(_ bytes: [UInt8]) -> String? {
    guard bytes.starts(with: "--".utf8), bytes.count > 2, !bytes.contains(UInt8(ascii: "=")),
      let text = String(validating: bytes, as: UTF8.self)
    else { return nil }
    return quoted(text)
  }

  /// The bytes in quotation marks, those that are not visible ASCII as `\xc4`; an API key is not shown.
  private static func escaped(_ bytes: some Collection<UInt8>) -> String {
    let text = shown(bytes)
    return text.contains("llk_") ? "an API key is in it, which is not shown" : "\"\(text)\""
  }

  private static func shown(_ bytes: some Collection<UInt8>) -> String {
    let most = 60
    let shown = bytes.prefix(most).map { byte in
      (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\\")
        ? String(Unicode.Scalar(byte))
        : #"\x"# + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return shown.joined() + (bytes.count > most ? "…" : "")
  }

  /// The bytes of each string of a list that ends in a null pointer.
  private static func strings(
    _ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  ) -> [[UInt8]] {
    var strings: [[UInt8]] = []
    var place = list
    while let string = place.pointee {
      strings.append(Array(UnsafeRawBufferPointer(start: string, count: strlen(string))))
      place += 1
    }
    return strings
  }
}
