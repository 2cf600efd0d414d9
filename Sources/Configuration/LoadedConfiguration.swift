public import JSON

/// A configuration that knows the source of each setting.
public struct LoadedConfiguration: Sendable {
  /// A setting with its value.
  public struct Entry: Sendable {
    /// The setting's name.
    public let name: String
    /// The value as the file would hold it.
    public let value: JSON
    let origin: SettingOrigin
    let place: ConfigurationFault.Place?

    /// The source, such as `/etc/launchlink/launchlink.yaml:3:9`, `$LAUNCHLINK_LISTEN` or `default`.
    public var source: String { origin.description(at: place) }
  }

  /// The settings' values.
  public let configuration: Configuration
  /// Every setting, in the order of `Settings.all`.
  public let entries: [Entry]
  /// The file that was read.
  public let file: String?

  /// A fault of what a setting names, at the place of the setting.
  func fault(
    of setting: some SettingDescription, _ message: String,
    _ kind: SetupError.Kind = .configuration
  ) -> ConfigurationFault {
    let entry = entries.first { $0.name == setting.name }
    return ConfigurationFault(
      origin: entry?.origin ?? .standard, place: entry?.place, setting: setting.name,
      message: message, kind: kind)
  }
}
