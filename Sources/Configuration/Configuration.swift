public import Domain
public import HTTPServer

/// What the program was told about where and how to work; see `Settings` for each part.
public struct Configuration: Sendable {
  /// Where database and master key are.
  public let dataDirectory: String
  /// The file of the master keys; nil for `master.key` in the data directory.
  public let masterKeyFile: String?
  /// Where the API listens.
  public let listen: Address
  /// Where operations listens.
  public let operationsListen: Address
  /// Nil has it follow from where the API listens.
  public let publicURL: PublicURL?
  /// How many threads answer the API's requests.
  public let workers: Int
  /// Whether addresses that other machines reach may do without TLS.
  public let allowPlaintext: Bool
  /// Nil has the API speak plain HTTP.
  public let tls: TLSFiles?
  /// Where each request leaves a line; nil for nowhere.
  public let accessLog: String?
  /// Whose word on the client's address counts.
  public let trustedProxies: TrustedProxies
  /// Upstreams, pages and categories.
  public let site: Site
  /// How long things live where nothing else is said of them.
  public let lifetimes: Lifetimes
  /// How many connections the API keeps open at most.
  public let connectionLimit: Int
  /// What all bodies that are not whole yet may take at once.
  public let bodyMemory: ByteCount
  /// How long a connection may wait for its next request.
  public let idleTimeout: Seconds
  /// How long a request may take to arrive.
  public let requestTimeout: Seconds
  /// How long requests in flight may take once the server stops.
  public let shutdownTimeout: Seconds
}

/// How long things live where nothing else is said of them.
public struct Lifetimes: Sendable, Equatable {
  /// The launches of a project.
  public let launch: Seconds
  /// A sign-in to the support pages.
  public let session: Seconds
  /// A key that was rotated.
  public let keyGrace: Seconds
}

/// The files of a certificate and its private key, in PEM.
public struct TLSFiles: Sendable, Equatable {
  /// The path of the certificate with its chain.
  public let certificate: String
  /// The path of the private key.
  public let key: String
}
