// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Leaves out of the release build what debug builds, and so all tests, check while they run: that no variable is
/// used in two ways at once (docs/decisions/0017-where-a-launch-spends-its-time.md).
let release: [SwiftSetting] = [
  .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))
]

/// Has clang write what Debian's valgrind can read of the code, which by itself it does not.
let readable: [CSetting] = [.unsafeFlags(["-gdwarf-4"])]

/// A Debian C library, seen through a module map and a shim header.
func library(_ name: String, pkgConfig: String, apt: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

/// A layer of the house: it may import what stands in `uses` and nothing else.
func layer(_ name: String, uses: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: uses, swiftSettings: strict + release)
}

func tests(of name: String, uses: [Target.Dependency] = [], resources: [Resource] = []) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: [.byName(name: name)] + uses, resources: resources,
    swiftSettings: strict)
}

/// Everything that takes bytes from outside, tried by libFuzzer: see docs/decisions/0016-fuzzing.md.
///
/// It links only with `--sanitize fuzzer`, so nothing but `Tests/Fuzz/run` asks for it.
let fuzz: [Target] =
  Context.environment["LAUNCHLINK_FUZZ"] == nil
  ? []
  : [
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "SupportPages", "API", "Observability", "Store", "SQLiteStore", "Explain", "Encoding",
        "Domain", "HTTPServer", "YAML", "JSON", "Cryptography",
      ],
      path: "Tests/Fuzz/Sources", swiftSettings: strict)
  ]

/// The test targets to build where not all are wanted, such as `LAUNCHLINK_TESTS="DomainTests StoreTests"`.
let wantedTests = Context.environment["LAUNCHLINK_TESTS"]?.split(separator: " ").map(String.init)

let testTargets: [Target] = [
  tests(of: "CHTTPHead"),
  tests(of: "Platform"),
  tests(of: "Cryptography"),
  tests(of: "UnicodeText"),
  tests(of: "YAML"),
  tests(of: "JSON"),
  tests(of: "SQLite"),
  tests(of: "HTTPServer", uses: ["Platform"]),
  tests(
    of: "Domain", uses: ["Differences", "DomainFixtures", "JSON", "Cryptography"],
    resources: [.copy("vectors")]),
  tests(of: "Encoding", uses: ["Differences", "Domain", "JSON", "Cryptography"]),
  tests(
    of: "Explain",
    uses: ["Differences", "DomainFixtures", "Encoding", "Domain", "JSON", "Cryptography"]),
  tests(
    of: "Store",
    uses: ["StoreFixtures", "StoreTransfer", "SQLiteStore", "Domain", "Cryptography", "Platform"]),
  tests(of: "SQLiteStore", uses: ["StoreFixtures", "Store", "Domain", "SQLite"]),
  tests(of: "StoreTransfer", uses: ["StoreFixtures", "SQLiteStore", "Store", "SQLite"]),
  tests(of: "Observability"),
  tests(
    of: "API",
    uses: [
      "Differences", "TestSupport", "StoreFixtures", "Observability", "Store", "Encoding", "Domain",
      "HTTPServer", "JSON",
    ]),
  tests(
    of: "SupportPages",
    uses: [
      "Differences", "TestSupport", "API", "Store", "Explain", "Encoding", "Domain", "HTTPServer",
    ]),
  tests(of: "Configuration", uses: ["Domain", "HTTPServer", "JSON"]),
  tests(of: "Doctor"),
  tests(
    of: "Serving",
    uses: [
      "TestSupport", "Configuration", "SQLiteStore", "Store", "Domain", "HTTPServer", "SQLite",
    ]),
  tests(
    of: "CLI",
    uses: [
      "Differences", "Serving", "Configuration", "SQLiteStore", "Store", "Domain", "HTTPServer",
      "Platform",
    ]),
].filter { wantedTests?.contains($0.name) ?? true }

let package = Package(
  name: "launchlink",
  products: [.executable(name: "launchlink", targets: ["launchlink"])],
  targets: [
    library("CMicroHTTPD", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
    library("CGnuTLS", pkgConfig: "gnutls", apt: "libgnutls28-dev"),
    library("CSystemd", pkgConfig: "libsystemd", apt: "libsystemd-dev"),
    library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    library("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev"),
    library("CJansson", pkgConfig: "jansson", apt: "libjansson-dev"),
    library("CYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev"),
    .target(name: "CEmbedded", exclude: ["Assets"], cSettings: readable),
    .target(
      name: "CInterposition", dependencies: ["CMicroHTTPD", "CGnuTLS"], cSettings: readable),
    .target(name: "CHTTPHead", cSettings: readable),
    .target(name: "CPlatform", cSettings: readable),

    layer("Platform", uses: ["CPlatform"]),
    layer("Cryptography", uses: ["COpenSSL"]),
    layer("UnicodeText", uses: []),
    layer("YAML", uses: ["CYAML", "UnicodeText"]),
    layer("JSON", uses: ["CJansson", "UnicodeText"]),
    layer("SQLite", uses: ["CSQLite"]),
    layer(
      "HTTPServer",
      uses: ["CHTTPHead", "CMicroHTTPD", "CGnuTLS", "CInterposition", "Platform", "UnicodeText"]),
    layer("Domain", uses: ["Cryptography", "JSON", "UnicodeText"]),
    layer("Encoding", uses: ["Domain", "JSON"]),
    layer("Explain", uses: ["Domain", "Encoding", "Cryptography", "JSON", "UnicodeText"]),
    layer("Store", uses: ["Domain", "JSON", "Cryptography", "Platform"]),
    layer("SQLiteStore", uses: ["Store", "SQLite", "Domain", "JSON", "Platform"]),
    layer(
      "StoreTransfer", uses: ["Store", "SQLiteStore", "SQLite", "Domain", "JSON", "Platform"]),
    layer("Observability", uses: ["Domain", "HTTPServer", "JSON", "Cryptography", "Platform"]),
    layer(
      "API",
      uses: [
        "Observability", "Store", "Encoding", "Domain", "HTTPServer", "JSON", "Cryptography",
        "Platform",
        "CEmbedded",
      ]),
    layer(
      "SupportPages",
      uses: [
        "API", "Store", "Explain", "Encoding", "Domain", "HTTPServer", "Cryptography", "CEmbedded",
      ]),
    layer(
      "Configuration",
      uses: ["Observability", "Domain", "HTTPServer", "YAML", "JSON", "Platform"]),
    layer(
      "Doctor",
      uses: [
        "Configuration", "Store", "SQLiteStore", "StoreTransfer", "Domain", "HTTPServer",
        "Platform",
      ]),
    layer(
      "Serving",
      uses: [
        "Configuration", "SupportPages", "API", "Observability", "Store", "Domain", "HTTPServer",
        "JSON", "Platform", "CSystemd",
      ]),
    layer(
      "CLI",
      uses: [
        "Serving", "Doctor", "Configuration", "API", "Observability", "Store", "SQLiteStore",
        "StoreTransfer", "Explain", "Encoding", "Domain", "HTTPServer", "JSON", "Cryptography",
        "Platform", "CEmbedded",
      ]),
    .executableTarget(
      name: "launchlink", dependencies: ["CLI", "Platform"], swiftSettings: strict),

    .target(name: "Differences", path: "Tests/Differences", swiftSettings: strict),
    .target(
      name: "DomainFixtures", dependencies: ["Domain", "Cryptography"],
      path: "Tests/DomainFixtures", swiftSettings: strict),
    .target(
      name: "StoreFixtures",
      dependencies: ["Store", "SQLiteStore", "SQLite", "Domain", "Platform"],
      path: "Tests/StoreFixtures", swiftSettings: strict),
    .target(
      name: "TestSupport",
      dependencies: [
        "SupportPages", "API", "Store", "SQLiteStore", "Domain", "HTTPServer", "JSON", "Platform",
      ],
      path: "Tests/TestSupport", swiftSettings: strict),
  ] + testTargets + fuzz,
  // For #embed.
  cLanguageStandard: .c2x
)
