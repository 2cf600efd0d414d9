import Domain
import Foundation
import HTTPServer
import JSON
import Testing

@testable import Configuration

@Suite("Configuration")
struct ConfigurationTests {
  /// Loads a file's text with variables and options, and no file of the system.
  func load(
    _ yaml: String? = nil, environment: [String: String] = [:], options: [String: String] = [:]
  ) throws -> LoadedConfiguration {
    let directory = try TemporaryDirectory()
    let file = try yaml.map { try directory.write($0, to: "launchlink.yaml") }
    return try ConfigurationSource(
      file: file, environment: environment, options: options, systemFile: "/nowhere.yaml"
    ).load()
  }

  /// Every fault, with the file's directory cut off.
  func faults(
    _ yaml: String? = nil, environment: [String: String] = [:], options: [String: String] = [:]
  ) throws -> [String] {
    do {
      _ = try load(yaml, environment: environment, options: options)
      return []
    } catch let faults as ConfigurationFaults {
      return faults.all.map { fault in
        let text = fault.description
        return String(text.range(of: "launchlink.yaml").map { text[$0.lowerBound...] } ?? text[...])
      }
    }
  }

  @Test("has defaults for everything")
  func defaults() throws {
    let loaded = try load()
    let configuration = loaded.configuration
    #expect(configuration.dataDirectory == ".launchlink")
    #expect(configuration.masterKeyFile == nil)
    #expect(configuration.listen.description == "127.0.0.1:8080")
    #expect(configuration.operationsListen.description == "127.0.0.1:9464")
    #expect(configuration.publicURL == nil)
    #expect(configuration.workers == processorCount())
    #expect(!configuration.allowPlaintext)
    #expect(configuration.site.deepLinkScheme == "moment")
    #expect(
      configuration.site.upstreams["production"]?.authority == "cashback-ui.moment.fairytech.ai")
    #expect(configuration.site.upstreams["canary"] != nil)
    #expect(
      configuration.site.pages.map(\.name) == ["main", "program", "transactions", "settings", "cs"])
    #expect(configuration.site.categories.count == 13)
    #expect(
      configuration.lifetimes
        == Lifetimes(launch: Seconds(300), session: Seconds(28_800), keyGrace: Seconds(86_400)))
    #expect(configuration.connectionLimit == 10_000)
    #expect(configuration.bodyMemory == ByteCount(64 << 20))
    #expect(configuration.idleTimeout == Seconds(60))
    #expect(configuration.requestTimeout == Seconds(30))
    #expect(configuration.shutdownTimeout == Seconds(10))
    #expect(loaded.entries.map(\.name) == Settings.all.map(\.name))
    #expect(loaded.entries.allSatisfy { $0.source == "default" })
  }

  @Test("the shipped file names every setting and is equal to the defaults")
  func shippedFile() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Config/launchlink.yaml")
    let text = try String(contentsOf: file, encoding: .utf8)
    let (shipped, standard) = (try load(text), try load())
    #expect(shipped.entries.map(\.name) == standard.entries.map(\.name))
    for (entry, own) in zip(shipped.entries, standard.entries) {
      #expect(entry.value == own.value, "\(entry.name)")
    }
    for setting in Settings.all {
      let section = setting.name.split(separator: ".").map(String.init)
      let line = (section.count == 2 ? "\n  " : "\n") + section[section.count - 1] + ":"
      #expect(text.contains(line), "\(setting.name) is not in the file")
      #expect(section.count == 1 || text.contains("\n\(section[0]):\n"))
    }
    // What has no value in the file has its default because of that, all else by what it says.
    let silent = Set([
      "master_key_file", "public_url", "workers", "tls.certificate", "tls.key", "access_log",
    ])
    for entry in shipped.entries {
      #expect((entry.source == "default") == silent.contains(entry.name), "\(entry.name)")
    }
  }

  @Test("options beat variables, variables beat the file, the file beats defaults")
  func precedence() throws {
    let yaml = "listen: 127.0.0.1:1\noperations_listen: 127.0.0.1:1\ndata_directory: file\n"
    let loaded = try load(
      yaml,
      environment: ["LAUNCHLINK_LISTEN": "127.0.0.1:2", "LAUNCHLINK_DATA_DIRECTORY": "variable"],
      options: ["data_directory": "option"])
    #expect(loaded.configuration.operationsListen.port == 1)
    #expect(loaded.configuration.listen.port == 2)
    #expect(loaded.configuration.dataDirectory == "option")
    let sources = Dictionary(uniqueKeysWithValues: loaded.entries.map { ($0.name, $0.source) })
    #expect(sources["operations_listen"]?.hasSuffix("launchlink.yaml:2:20") == true)
    #expect(sources["listen"] == "$LAUNCHLINK_LISTEN")
    #expect(sources["data_directory"] == "--data-directory")
    #expect(sources["workers"] == "default")
  }

  @Test("the file is the option's, else the variable's, else the system's where it exists")
  func fileChoice() throws {
    let directory = try TemporaryDirectory()
    let files = try ["a", "b", "c"].map {
      try directory.write("deep_link_scheme: \($0)", to: $0 + ".yaml")
    }
    func scheme(_ option: String?, _ variable: String?, _ system: String) throws -> String {
      try ConfigurationSource(
        file: option, environment: variable.map { ["LAUNCHLINK_CONFIG": $0] } ?? [:], options: [:],
        systemFile: system
      ).load().configuration.site.deepLinkScheme
    }
    #expect(try scheme(files[0], files[1], files[2]) == "a")
    #expect(try scheme(nil, files[1], files[2]) == "b")
    #expect(try scheme(nil, nil, files[2]) == "c")
    #expect(try scheme(nil, nil, "/nowhere.yaml") == "moment")
  }

  @Test("each setting is a variable, maps as YAML in one line, texts as they are")
  func variables() throws {
    let configuration = try load(environment: [
      "LAUNCHLINK_DATA_DIRECTORY": "a: #b\"", "LAUNCHLINK_MASTER_KEY_FILE": "null",
      "LAUNCHLINK_LISTEN": "[::1]:0", "LAUNCHLINK_WORKERS": "3",
      "LAUNCHLINK_ALLOW_PLAINTEXT": "true",
      "LAUNCHLINK_UPSTREAMS":
        "{test: {base_url: 'http://127.0.0.1:9/main', internal_origins: ['https://a.example:1']}}",
      "LAUNCHLINK_PAGES": "{cs: {path: /cs}}", "LAUNCHLINK_CATEGORIES": "{beauty: 뷰티}",
      "LAUNCHLINK_DEEP_LINK_SCHEME": "acme", "LAUNCHLINK_LIMITS_CONNECTIONS": "7",
      "LAUNCHLINK_TIMEOUTS_IDLE": "2m", "LAUNCHLINK_TIMEOUTS_REQUEST": "5s",
      "LAUNCHLINK_TIMEOUTS_SHUTDOWN": "1s", "LAUNCHLINK_OPERATIONS_LISTEN": "0.0.0.0:1",
    ]).configuration
    #expect(configuration.dataDirectory == "a: #b\"")
    #expect(configuration.masterKeyFile == "null")
    #expect(configuration.listen.description == "[::1]:0")
    #expect(configuration.workers == 3)
    #expect(configuration.site.upstreams.keys.sorted() == ["test"])
    #expect(configuration.site.upstreams["test"]?.internalOrigins == ["https://a.example:1"])
    #expect(configuration.site.pages.map(\.path) == ["/cs"])
    #expect(configuration.site.categories.map(\.label) == ["뷰티"])
    #expect(configuration.site.deepLinkScheme == "acme")
    #expect(configuration.connectionLimit == 7)
    #expect(configuration.idleTimeout == Seconds(120))
    #expect(configuration.requestTimeout == Seconds(5))
    #expect(configuration.shutdownTimeout == Seconds(1))
  }

  @Test("every fault is told at once, with name, line and column, what is allowed and what is near")
  func everyFault() throws {
    let found = try faults(
      """
      lissten: 127.0.0.1:80
      listen: localhost:80
      workers: 0
      allow_plaintext: yes
      data_directory: []
      deep_link_scheme: moment://
      limits:
        conections: 5
        connections: many
      timeouts: 5s
      """,
      environment: [
        "LAUNCHLINK_LISTN": "secret", "LAUNCHLINK_TIMEOUTS_IDLE": "1w", "LAUNCHLINK_WORKERS": "",
        "LAUNCHLINK_PAGES": "{a: {path: /a}, b: {path: b}}",
      ],
      options: ["operations_listen": "nowhere"])
    let starts = [
      #"launchlink.yaml:1:1: lissten: There is no such setting; did you mean listen?"#,
      #"launchlink.yaml:8:3: limits.conections: There is no such setting; did you mean limits.connections?"#,
      "launchlink.yaml:10:11: timeouts: This has to be a map of settings.",
      "$LAUNCHLINK_LISTN: There is no such setting; did you mean LAUNCHLINK_LISTEN?",
      "launchlink.yaml:5:17: data_directory: This has to be a path, without control characters.",
      #"launchlink.yaml:2:9: listen: "localhost:80" is no address to listen on"#,
      #"--operations-listen: operations_listen: "nowhere" is no address"#,
      "launchlink.yaml:3:10: workers: This has to be a whole number from 1 to 256.",
      "$LAUNCHLINK_WORKERS: workers: There is no value. Leave it out instead.",
      "launchlink.yaml:4:18: allow_plaintext: This has to be true or false.",
      "$LAUNCHLINK_PAGES, character 27: pages.b.path: This has to be a path such as",
      #"launchlink.yaml:6:19: deep_link_scheme: This has to be a scheme without "://""#,
      "launchlink.yaml:9:16: limits.connections: This has to be a whole number from 1 to 1000000.",
      "$LAUNCHLINK_TIMEOUTS_IDLE: timeouts.idle: This has to be a length of time from 1s to 3600s",
    ]
    #expect(found.count == starts.count)
    for (fault, start) in zip(found, starts) {
      #expect(fault.hasPrefix(start), "\(fault)")
    }
    #expect(!found.contains { $0.contains("secret") })
  }

  @Test(
    "upstreams, pages and categories are checked in every part",
    arguments: [
      ("upstreams: {}", "upstreams: This has to be a map of upstreams by name, at least one."),
      ("upstreams: {A: {base_url: https://a.example/m}}", "upstreams: The name \"A\" has to be"),
      ("upstreams: {a: {}}", "upstreams.a: base_url is missing."),
      ("upstreams: {a: {base_url: a.example}}", "upstreams.a.base_url: This has to be an https"),
      (
        "upstreams: {a: {base_url: 'http://cashback.example/main'}}",
        "upstreams.a.base_url: This has to be https: over http"
      ),
      ("upstreams: {a: {base_url: https://a.example/m/}}", "upstreams.a.base_url: This"),
      ("upstreams: {a: {base_url: https://u@a.example/m}}", "upstreams.a.base_url: This"),
      ("upstreams: {a: {base_url: 'https://a.example/c,d'}}", "upstreams.a.base_url: This"),
      ("upstreams: {a: {base_url: 'https://a,b.example/m'}}", "upstreams.a.base_url: This"),
      ("upstreams: {a: {base_url: https://a.example/a%2Fb}}", "upstreams.a.base_url: This"),
      ("upstreams: {a: {base_url: https://a.example/a/../m}}", "upstreams.a.base_url: This"),
      ("upstreams: {a: {base_url: https://a.example//m}}", "upstreams.a.base_url: This"),
      (
        "upstreams: {a: {base_url: https://a.example/m, origins: []}}",
        "upstreams.a: There is no \"origins\" here, only base_url and internal_origins"
      ),
      (
        "upstreams: {a: {base_url: https://a.example/m, internal_origins: https://a.example}}",
        "upstreams.a.internal_origins: This has to be a list"
      ),
      (
        "upstreams: {a: {base_url: https://a.example/m, internal_origins: [https://a.example/]}}",
        "upstreams.a.internal_origins: This has to be scheme and host alone"
      ),
      (
        "upstreams: {a: {base_url: https://a.example/m, internal_origins: [https://a.example/x]}}",
        "upstreams.a.internal_origins: This has to be scheme and host alone"
      ),
      ("pages: [main]", "pages: This has to be a map of pages"),
      ("pages: {a: /a}", "pages.a: This has to be a map with path and parameters."),
      ("pages: {a: {}}", "pages.a: path is missing."),
      ("pages: {a: {path: /a}, b: {path: /a}}", "pages.b.path: The page a has this path already."),
      (
        "pages: {a: {path: /a, parameters: {busines_id: required}}}",
        "pages.a.parameters: There is no \"busines_id\" here, only category and business_id; "
          + "did you mean business_id?"
      ),
      (
        "pages: {a: {path: /a, parameters: {category: requird}}}",
        "pages.a.parameters.category: This has to be required or optional; did you mean required?"
      ),
      ("categories: {beauty: ''}", "categories.beauty: This has to be the label"),
      ("categories: {a: 뷰티, b: 뷰티}", "categories.b: The category a has this label already."),
    ])
  func parts(yaml: String, fault: String) throws {
    let found = try faults(yaml)
    try #require(found.count == 1)
    #expect(found.first?.contains(fault) == true, "\(found)")
  }

  @Test("a file that is no YAML or cannot be read is told beside other faults")
  func unreadable() throws {
    let found = try faults("listen: [", environment: ["LAUNCHLINK_X": "1"])
    try #require(found.count == 2)
    #expect(
      found[0].hasPrefix("launchlink.yaml:1:10: ") || found[0].hasPrefix("launchlink.yaml:2:1: "))
    let error = try #require(throws: ConfigurationFaults.self) {
      try ConfigurationSource(
        file: "/nowhere/at-all.yaml", environment: [:], options: [:]
      ).load()
    }
    #expect(
      error.all.map(\.description) == [
        "/nowhere/at-all.yaml: Cannot read /nowhere/at-all.yaml: No such file or directory."
      ])
  }

  @Test("a name of a file that is empty is a fault, wherever it comes from")
  func emptyName() throws {
    #expect(
      try faults(environment: ["LAUNCHLINK_CONFIG": ""]) == [
        "$LAUNCHLINK_CONFIG: There is no value. Leave it out instead."
      ])
    let error = try #require(throws: ConfigurationFaults.self) {
      try ConfigurationSource(file: "", environment: [:], options: [:]).load()
    }
    #expect(error.all.map(\.description) == ["--config: There is no value. Leave it out instead."])
  }

  @Test("the two listeners cannot share an address, but a free port each")
  func sharedAddress() throws {
    let same = "listen: 127.0.0.1:81\noperations_listen: 127.0.0.1:81\n"
    #expect(try faults(same).first?.hasPrefix("launchlink.yaml:2:20: operations_listen: ") == true)
    #expect(try faults("listen: 127.0.0.1:9464\n").count == 1)
    #expect(try faults("listen: 127.0.0.1:0\noperations_listen: 127.0.0.1:0\n").isEmpty)
  }

  @Test("a listener that other machines reach needs allow_plaintext")
  func plaintext() throws {
    let found = try faults("listen: 0.0.0.0:80\noperations_listen: '[::]:1'\n")
    try #require(found.count == 2)
    #expect(found[0].hasPrefix("launchlink.yaml:1:9: listen: 0.0.0.0:80 can be reached"))
    #expect(found[1].hasPrefix("launchlink.yaml:2:20: operations_listen: [::]:1 can be reached"))
    #expect(try faults(options: ["listen": "10.0.0.1:80"]).count == 1)
    #expect(try faults("listen: 0.0.0.0:80\nallow_plaintext: true\n").isEmpty)
  }

  @Test("public_url is an origin that keeps a session safe")
  func publicURL() throws {
    let loaded = try load("public_url: https://Launch.example:443/\n")
    #expect(loaded.configuration.publicURL?.origin == "https://launch.example")
    for text in ["http://launch.example", "https://launch.example/support", "8080", "[]"] {
      let found = try faults("public_url: \(text)\n")
      #expect(found.count == 1 && found[0].hasPrefix("launchlink.yaml:1:13: public_url: "))
      #expect(found[0].contains("https://launch.example"))
    }
  }

  @Test("a setting without a value has its default")
  func empty() throws {
    let loaded = try load("listen:\nlimits:\n  connections: ~\ntimeouts:\n")
    #expect(loaded.entries.allSatisfy { $0.source == "default" })
  }
}

/// A directory of a test's own; gone when the test ends.
final class TemporaryDirectory {
  private let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appending(path: "launchlink-configuration-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// Writes a file and returns its path.
  func write(_ text: String, to name: String) throws -> String {
    let file = url.appending(path: name)
    try Data(text.utf8).write(to: file)
    return file.path
  }
}
