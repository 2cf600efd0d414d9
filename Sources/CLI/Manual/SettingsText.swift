internal import CEmbedded
import Configuration

/// The descriptions of settings in the comments of `Config/launchlink.yaml`.
struct SettingsText {
  /// A setting in the file.
  struct Entry {
    /// The setting's name, as in `Settings`.
    let name: String
    let text: String
    /// The default in the file; empty when the file leaves the value out.
    let standard: [String]
  }

  /// A part of the file: settings by themselves, or those of a section such as `limits`.
  struct Section {
    /// Empty for settings by themselves.
    let name: String
    let text: String
    var entries: [Entry] = []
  }

  /// The comment before the first setting.
  private(set) var introduction = ""
  private(set) var sections = [Section(name: "", text: "")]

  /// The file of this version, compiled in.
  static var shipped: SettingsText {
    let file = embedded_settings()
    let bytes = UnsafeBufferPointer(start: file.bytes, count: file.size)
    return SettingsText(String(decoding: bytes, as: UTF8.self))
  }

  /// Reads a file of settings in which a comment stands above each.
  init(_ file: String) {
    var comment: [String] = []
    var rest = file.split(separator: "\n", omittingEmptySubsequences: false)[...]
    while let line = rest.popFirst() {
      let content = line.drop { $0 == " " }
      if content.hasPrefix("#") {
        let text = content.dropFirst()
        comment.append(String(text.hasPrefix(" ") ? text.dropFirst() : text))
      } else if content.isEmpty {
        if introduction.isEmpty { introduction = comment.joined(separator: "\n") }
        comment = []
      } else {
        let indent = line.count - content.count
        let parts = content.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        add(
          String(parts[0]), value: parts.count > 1 ? parts[1].drop { $0 == " " } : "",
          indent: indent, text: comment.joined(separator: "\n"), rest: &rest)
        comment = []
      }
    }
  }

  private mutating func add(
    _ key: String, value: Substring, indent: Int, text: String, rest: inout ArraySlice<Substring>
  ) {
    let isNested = indent > 0
    if !isNested, Settings.names.contains(where: { $0.hasPrefix(key + ".") }) {
      sections.append(Section(name: key, text: text))
      return
    }
    if !isNested, !(sections.last?.name.isEmpty ?? true) {
      sections.append(Section(name: "", text: ""))
    }
    var standard = value.isEmpty ? [] : [String(value)]
    while let next = rest.first, next.prefix(while: { $0 == " " }).count > indent {
      standard.append(String(next.dropFirst(indent + 2)))
      rest.removeFirst()
    }
    let section = sections[sections.count - 1].name
    sections[sections.count - 1].entries.append(
      Entry(name: isNested ? section + "." + key : key, text: text, standard: standard))
  }
}
