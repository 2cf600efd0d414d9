import Domain
public import HTTPServer

/// All settings, in the order of `Config/launchlink.yaml`, whose comments describe them.
public enum Settings {
  /// The directory of the database and the master key.
  public static let dataDirectory = Setting("data_directory", .path, standard: ".launchlink")
  /// The file of the key ring.
  public static let masterKeyFile = Setting("master_key_file", .optionalPath, fallback: nil)
  /// The address on which the API listens.
  public static let listen = Setting("listen", .address, standard: "127.0.0.1:8080")
  /// The address on which operations listens.
  public static let operationsListen = Setting(
    "operations_listen", .address, standard: "127.0.0.1:9464")
  static let publicURL = Setting("public_url", .publicURL, fallback: nil)
  /// The number of threads that answer the API's requests.
  public static let workers = Setting("workers", .integer(1...256), fallback: processorCount())
  static let allowPlaintext = Setting("allow_plaintext", .bool, standard: "false")
  static let tlsCertificate = Setting("tls.certificate", .optionalPath, fallback: nil)
  static let tlsKey = Setting("tls.key", .optionalPath, fallback: nil)
  /// The file of the access log.
  public static let accessLog = Setting("access_log", .optionalPath, fallback: nil)
  static let trustedProxies = Setting("trusted_proxies", .trustedProxies, standard: "[]")
  static let upstreams = Setting(
    "upstreams", .upstreams,
    standard: """
      production:
        base_url: https://cashback-ui.moment.fairytech.ai/main
        internal_origins: [https://cashback-ui.moment.fairytech.ai]
      canary:
        base_url: https://canary-cashback-ui.moment.fairytech.ai/main
        internal_origins: [https://canary-cashback-ui.moment.fairytech.ai]
      """)
  static let pages = Setting(
    "pages", .pages,
    standard: """
      main: { path: /cashback, parameters: { category: optional } }
      program: { path: /cashback/detail, parameters: { business_id: required } }
      transactions: { path: /cashback/transactions }
      settings: { path: /settings }
      cs: { path: /cs }
      """)
  static let categories = Setting(
    "categories", .categories,
    standard: """
      food: 식품
      mall: 종합몰
      culture: 문화
      travel: 여행
      electronics: 가전
      infant: 유아동
      health: 건강
      fashion: 패션
      beauty: 뷰티
      finance: 금융
      living: 리빙
      education: 교육
      etc: 기타
      """)
  static let deepLinkScheme = Setting("deep_link_scheme", .scheme, standard: "moment")
  static let launchLifetime = Setting(
    "lifetimes.launch", .duration(Project.lifetimes), standard: "5m")
  static let sessionLifetime = Setting(
    "lifetimes.session", .duration(300...SupportSession.lifetime), standard: "8h")
  static let keyGrace = Setting("lifetimes.key_grace", .duration(0...7_776_000), standard: "24h")
  static let connectionLimit = Setting(
    "limits.connections", .integer(1...1_000_000), standard: "10000")
  static let bodyMemory = Setting(
    "limits.body_memory", .size(1 << 20...64 << 30), standard: "64MiB")
  static let idleTimeout = Setting("timeouts.idle", .duration(1...3600), standard: "60s")
  static let requestTimeout = Setting("timeouts.request", .duration(1...3600), standard: "30s")
  static let shutdownTimeout = Setting("timeouts.shutdown", .duration(1...600), standard: "10s")

  /// The settings that a running server takes over on SIGHUP; the others take effect at its start.
  public static let reloadable: Set<String> = [
    publicURL.name, allowPlaintext.name, tlsCertificate.name, tlsKey.name,
    upstreams.name, pages.name, categories.name, deepLinkScheme.name, launchLifetime.name,
    sessionLifetime.name, keyGrace.name, shutdownTimeout.name,
  ]

  /// All settings.
  public static let all: [any SettingDescription] = [
    dataDirectory, masterKeyFile, listen, operationsListen, publicURL, workers, allowPlaintext,
    tlsCertificate, tlsKey, accessLog, trustedProxies, upstreams, pages, categories,
    deepLinkScheme, launchLifetime, sessionLifetime, keyGrace, connectionLimit, bodyMemory,
    idleTimeout, requestTimeout, shutdownTimeout,
  ]

  /// The names of all settings.
  public static let names = all.map(\.name)
}
