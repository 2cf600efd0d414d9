public import JSON

/// A configuration with where each of its settings comes from.
public struct LoadedConfiguration: Sendable {
  /// A setting as it counts.
  public struct Entry: Sendable {
    /// The setting's name.
    public let name: String
    /// Its value as the file would have it.
    public let value: JSON
    let origin: SettingOrigin
    let place: ConfigurationFault.Place?

    /// Such as `/etc/launchlink/launchlink.yaml:3:9`, `$LAUNCHLINK_LISTEN` or `default`.
    public var source: String { origin.description(at: place) }
  }

  /// What counts.
  public let configuration: Configuration
  /// Every setting, in the order of `Settings.all`.
  public let entries: [Entry]
  /// The file that was read.
  public let file: String?

  /// Something wrong with what a setting's value leads to, where the value stands.
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
