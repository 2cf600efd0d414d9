import Configuration
import Domain
import JSON

/// `launchlink config …`.
struct ConfigCommand: CommandGroup {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "config", abstract: "Check and show the configuration.",
      discussion: """
        Settings come from a YAML file (--config, else $LAUNCHLINK_CONFIG, else
        \(ConfigurationSource.systemFile) where it exists), from variables such as LAUNCHLINK_LISTEN, and
        from options; options beat variables beat the file beat defaults.
        """,
      examples: ["launchlink config show"], subcommands: [ConfigCheck.self, ConfigShow.self])
  }
}

/// `launchlink config check`.
struct ConfigCheck: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "check", abstract: "Check the configuration, and list every fault.",
      discussion: """
        Says what serve would refuse: wrong settings, and certificate, private key and access log where they
        are not fit, looked at as the owner of the data directory. Whether the data directory, the
        database and the master key are there and sound is what doctor looks at.
        """,
      examples: ["launchlink config check --config launchlink.yaml"])
  }

  func run(in context: Context) throws {
    do {
      let loaded = try context.source().load()
      try DataDirectory(loaded.configuration, environment: context.environment).becomeOwner()
      let files = NamedFiles(of: loaded, at: context.clock())
      try files.requireFit()
      try context.show(
        ["valid": true, "file": JSON(loaded.file), "faults": []],
        table: "OK" + (loaded.file.map { ": \($0)" } ?? "") + "\n")
      for warning in files.warnings { context.warn(warning) }
    } catch let faults as ConfigurationFaults {
      if context.globals.output == .json {
        let all = faults.all.map { fault -> JSON in
          [
            "source": .string(fault.origin.description(at: fault.place)),
            "setting": fault.setting.isEmpty ? .null : .string(fault.setting),
            "message": .string(fault.message),
          ]
        }
        try context.show(
          ["valid": false, "file": JSON(faults.file), "faults": .array(all)], table: "")
      }
      throw faults
    }
  }
}

/// `launchlink config show`.
struct ConfigShow: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "show", abstract: "Show each setting's value and its source.",
      examples: ["launchlink config show --output json"])
  }

  func run(in context: Context) throws {
    try context.show(
      context.source().load().entries,
      json: { entry in
        [
          "setting": .string(entry.name), "value": entry.value, "source": .string(entry.source),
        ]
      }, headings: ["SETTING", "SOURCE", "VALUE"], none: ""
    ) { entry in
      [entry.name, entry.source, Self.shown(entry.value)]
    }
  }

  /// A value on one line; a map in the form that YAML and JSON share.
  private static func shown(_ value: JSON) -> String {
    value.stringValue ?? String(decoding: value.encoded(), as: UTF8.self)
  }
}
