public import Domain
public import HTTPServer

/// The values of all settings; `Settings` names each of them.
public struct Configuration: Sendable {
  /// The directory of the database and the master key.
  public let dataDirectory: String
  /// The file of the key ring; nil for `master.key` in the data directory.
  public let masterKeyFile: String?
  /// The address on which the API listens.
  public let listen: Address
  /// The address on which operations listens.
  public let operationsListen: Address
  /// The address at which browsers reach the server; nil for the one on which the API listens.
  public let publicURL: PublicURL?
  /// The number of threads that answer the API's requests.
  public let workers: Int
  /// Whether a listener that other machines reach may work without TLS.
  public let allowPlaintext: Bool
  /// The API's certificate; nil for plain HTTP.
  public let tls: TLSFiles?
  /// The file of the access log; nil for no log.
  public let accessLog: String?
  /// The proxies that may name a client's address.
  public let trustedProxies: TrustedProxies
  /// Upstreams, pages and categories.
  public let site: Site
  /// The lifetimes of what has none of its own.
  public let lifetimes: Lifetimes
  /// The largest number of open connections of the API.
  public let connectionLimit: Int
  /// The most memory that all incomplete request bodies take together.
  public let bodyMemory: ByteCount
  /// The longest wait of a connection for its next request.
  public let idleTimeout: Seconds
  /// The longest time in which a request arrives.
  public let requestTimeout: Seconds
  /// The longest time that requests in flight get when the server stops.
  public let shutdownTimeout: Seconds
}

/// The lifetimes of what has none of its own.
public struct Lifetimes: Sendable, Equatable {
  /// The lifetime of a project's launches.
  public let launch: Seconds
  /// The lifetime of a sign-in to the support pages.
  public let session: Seconds
  /// How long a rotated key still works.
  public let keyGrace: Seconds
}

/// The files of a certificate and its private key, in PEM.
public struct TLSFiles: Sendable, Equatable {
  /// The path of the certificate with its chain.
  public let certificate: String
  /// The path of the private key.
  public let key: String
}
