import Configuration
import Domain
import Foundation
import Platform

/// The manual: a page for the program, one for each of its nouns, and one for its configuration.
struct Manual {
  /// A page of the manual.
  struct Page {
    /// The page's name, such as `launchlink-key`.
    let name: String
    let section: Int
    let source: String
  }

  let pages: [Page]

  /// Makes the manual from the command table and the settings.
  ///
  /// - Parameters:
  ///   - program: the table's root.
  ///   - date: the date on the pages.
  init(of program: CommandEntry, date: String) {
    let nouns = program.subcommands
    pages =
      [ProgramPage(program: program, date: date).page]
      + nouns.map { NounPage(noun: $0, date: date).page }
      + [SettingsPage(settings: .shipped, date: date).page]
  }

  /// The day of `SOURCE_DATE_EPOCH`, for reproducible packages; without it, today.
  static func date(in context: Context) throws -> String {
    var today = context.clock()
    if let text = context.environment["SOURCE_DATE_EPOCH"] {
      guard let seconds = Int64(text) else {
        throw CommandFailure(
          .usage, "$SOURCE_DATE_EPOCH has to be seconds since 1970, not \(quoted(text)).")
      }
      today = Timestamp(seconds: seconds)
    }
    let parts = today.description.prefix(10).split(separator: "-").compactMap { Int($0) }
    let months = [
      "January", "February", "March", "April", "May", "June", "July", "August", "September",
      "October", "November", "December",
    ]
    return "\(months[parts[1] - 1]) \(parts[2]), \(parts[0])"
  }
}

extension Manual.Page {
  /// Writes the page to the place below the directory where man looks for it.
  func write(below directory: String) throws {
    let folder = "\(directory)/man\(section)"
    let file = "\(folder)/\(name).\(section)"
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data(source.utf8).write(to: URL(filePath: file))
    } catch {
      throw FileError("Cannot write \(file): \(error.localizedDescription)")
    }
  }
}

extension Mdoc {
  /// Begins a page with its title, its name and a short description.
  init(page: String, section: Int, date: String, about: String) {
    control("Dd", date)
    control("Dt", "\(page.uppercased()) \(section)")
    control("Os", "LaunchLink \(Program.version)")
    control("Sh", "NAME")
    line("Nm", page)
    let words = about.hasSuffix(".") ? about.dropLast() : about[...]
    line("Nd", words.prefix(1).lowercased() + words.dropFirst())
  }

  /// The references at a page's end.
  mutating func seeAlso(_ references: [(name: String, section: Int)]) {
    control("Sh", "SEE ALSO")
    let sorted = references.sorted { ($0.section, $0.name) < ($1.section, $1.name) }
    for (index, reference) in sorted.enumerated() {
      let comma: [Word] = index + 1 < references.count ? [.punctuation(",")] : []
      line("Xr", [.page(reference.name), .punctuation("\(reference.section)")] + comma)
    }
  }
}
