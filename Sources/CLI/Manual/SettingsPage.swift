import Configuration
/// launchlink.yaml(5): every setting, from the settings' table and the comments of the shipped file.
struct SettingsPage {
  static let name = "launchlink.yaml"

  let settings: SettingsText
  let date: String

  var page: Manual.Page {
    var text = Mdoc(
      page: Self.name, section: 5, date: date, about: "The configuration of LaunchLink.")
    text.control("Sh", "DESCRIPTION")
    text.prose(settings.introduction)
    for section in settings.sections where !section.entries.isEmpty {
      if section.name.isEmpty {
        text.control("Ss", "Settings")
      } else {
        text.line("Ss", "In the section " + section.name)
        text.prose(section.text)
      }
      text.control("Bl", "-tag -width Ds")
      for entry in section.entries { show(entry, in: &text) }
      text.control("El")
    }
    text.control("Sh", "FILES")
    text.control("Bl", "-tag -width Ds")
    text.line("It", [.macro("Pa"), .text(ConfigurationSource.systemFile)])
    text.prose("Read where nothing names another file.")
    text.control("El")
    text.seeAlso([("launchlink", 1), ("launchlink-config", 1), ("launchlink-serve", 1)])
    return Manual.Page(name: Self.name, section: 5, source: text.source)
  }

  private func show(_ entry: SettingsText.Entry, in text: inout Mdoc) {
    text.line("It", [.macro("Cm"), .text(entry.name)])
    text.prose(entry.text)
    if let variable = Settings.all.first(where: { $0.name == entry.name })?.variable {
      text.control("Pp")
      text.prose("Variable:")
      text.line("Ev", variable)
    }
    text.control("Pp")
    switch entry.standard.count {
    case 0: text.prose("No default value.")
    case 1: text.prose("Default: \(entry.standard[0]).")
    default:
      text.prose("Default:")
      text.display(entry.standard)
    }
  }
}
