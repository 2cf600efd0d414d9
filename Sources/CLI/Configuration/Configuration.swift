import HTTPServer
import API
import Domain

/// What the program was told about where and how to work; see `Settings` for each part.
struct Configuration: Sendable {
  let dataDirectory: String
  let masterKeyFile: String?
  let listen: Address
  let operationsListen: Address
  /// Nil has it follow from where the API listens.
  let publicURL: PublicURL?
  let workers: Int
  let allowPlaintext: Bool
  /// Nil has the API speak plain HTTP.
  let tls: TLSFiles?
  /// Where each request leaves a line; nil for nowhere.
  let accessLog: String?
  /// Whose word on the client's address counts.
  let trustedProxies: TrustedProxies
  let site: Site
  let lifetimes: Lifetimes
  let connectionLimit: Int
  /// What all bodies that are not whole yet may take at once.
  let bodyMemory: ByteCount
  let idleTimeout: Seconds
  let requestTimeout: Seconds
  let shutdownTimeout: Seconds
}

/// How long things live where nothing else is said of them.
struct Lifetimes: Sendable, Equatable {
  /// The launches of a project.
  let launch: Seconds
  /// A sign-in to the support pages.
  let session: Seconds
  /// A key that was rotated.
  let keyGrace: Seconds
}

/// The files of a certificate and its private key, in PEM.
struct TLSFiles: Sendable, Equatable {
  let certificate: String
  let key: String
}

/// Where the value of a setting comes from.
enum SettingOrigin: Sendable, Equatable {
  case standard
  case file(String)
  case variable(String)
  case option(String)
}

/// One thing wrong with the configuration.
struct ConfigurationFault: Sendable, Equatable {
  let origin: SettingOrigin
  /// Where in the file or, for a map in a variable, in its value.
  let place: Place?
  /// The setting, such as `upstreams.production.base_url`; empty where it is about no setting.
  let setting: String
  /// What is wrong, what is allowed, what may have been meant.
  let message: String
  /// What a program ends with that cannot go on with it.
  var code = ExitCode.configuration

  struct Place: Sendable, Equatable {
    let line: Int
    let column: Int
  }

  var description: String {
    let subject = setting.isEmpty ? "" : setting + ": "
    return "\(origin.description(at: place)): \(subject)\(message)"
  }
}

/// Everything wrong with the configuration, in the order in which it was found; never empty.
struct ConfigurationFaults: Error {
  let all: [ConfigurationFault]
  /// The file that was read, or was to be read.
  var file: String?

  /// What the program ends with: the faults' own code where they agree.
  var code: ExitCode {
    all.dropFirst().allSatisfy { $0.code == all.first?.code }
      ? all.first?.code ?? .configuration : .configuration
  }

  var description: String {
    let count = all.count == 1 ? "a fault" : "\(all.count) faults"
    return "The configuration has \(count):\n"
      + all.map { "  " + $0.description }.joined(separator: "\n")
  }
}

extension SettingOrigin {
  /// The origin with the place in it, such as `launchlink.yaml:3:9` or `$LAUNCHLINK_LISTEN`.
  func description(at place: ConfigurationFault.Place?) -> String {
    switch self {
    case .standard: "default"
    case .file(let path): place.map { "\(path):\($0.line):\($0.column)" } ?? path
    case .variable(let name): "$" + name + (place.map { ", character \($0.column)" } ?? "")
    case .option(let name): "--" + name
    }
  }
}
