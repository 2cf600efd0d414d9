import Domain
import HTTPServer
import YAML

/// Reads every setting and makes a configuration of them.
struct ConfigurationBuilder {
  private let sources: SettingSources
  private var faults: [ConfigurationFault]
  private var entries: [LoadedConfiguration.Entry] = []

  init(_ sources: SettingSources) {
    self.sources = sources
    faults = sources.faults
  }

  mutating func build(file: String?) throws(ConfigurationFaults) -> LoadedConfiguration {
    let dataDirectory = value(of: Settings.dataDirectory)
    let masterKeyFile = value(of: Settings.masterKeyFile)
    let listen = value(of: Settings.listen)
    let operationsListen = value(of: Settings.operationsListen)
    let publicURL = value(of: Settings.publicURL)
    let workers = value(of: Settings.workers)
    let allowPlaintext = value(of: Settings.allowPlaintext)
    let certificate = value(of: Settings.tlsCertificate)
    let key = value(of: Settings.tlsKey)
    let accessLog = value(of: Settings.accessLog)
    let trustedProxies = value(of: Settings.trustedProxies)
    let upstreams = value(of: Settings.upstreams)
    let pages = value(of: Settings.pages)
    let categories = value(of: Settings.categories)
    let deepLinkScheme = value(of: Settings.deepLinkScheme)
    let launchLifetime = value(of: Settings.launchLifetime)
    let sessionLifetime = value(of: Settings.sessionLifetime)
    let keyGrace = value(of: Settings.keyGrace)
    let connectionLimit = value(of: Settings.connectionLimit)
    let bodyMemory = value(of: Settings.bodyMemory)
    let idleTimeout = value(of: Settings.idleTimeout)
    let requestTimeout = value(of: Settings.requestTimeout)
    let shutdownTimeout = value(of: Settings.shutdownTimeout)
    let tls = tlsFiles(certificate: certificate ?? nil, key: key ?? nil)
    if allowPlaintext == false {
      if tls == nil { refusePlaintext(listen, Settings.listen) }
      refusePlaintext(operationsListen, Settings.operationsListen)
    }
    if let listen, listen == operationsListen, listen.port != 0 {
      let last = sources.candidates[Settings.operationsListen.name] == nil
      refuse(
        last ? Settings.listen : Settings.operationsListen,
        "The API and operations cannot both listen on \(listen). Choose another port.")
    }
    guard faults.isEmpty, let dataDirectory, let masterKeyFile, let listen, let operationsListen,
      let publicURL, let workers, let allowPlaintext, let accessLog, let trustedProxies,
      let upstreams, let pages, let categories, let deepLinkScheme, let launchLifetime,
      let sessionLifetime, let keyGrace, let connectionLimit, let bodyMemory,
      let idleTimeout, let requestTimeout, let shutdownTimeout
    else { throw ConfigurationFaults(all: faults) }
    let site = Site(
      upstreams: upstreams, pages: pages, categories: categories, deepLinkScheme: deepLinkScheme)
    let configuration = Configuration(
      dataDirectory: dataDirectory, masterKeyFile: masterKeyFile, listen: listen,
      operationsListen: operationsListen, publicURL: publicURL, workers: workers,
      allowPlaintext: allowPlaintext, tls: tls, accessLog: accessLog,
      trustedProxies: trustedProxies, site: site,
      lifetimes: Lifetimes(
        launch: launchLifetime, session: sessionLifetime, keyGrace: keyGrace),
      connectionLimit: connectionLimit, bodyMemory: bodyMemory,
      idleTimeout: idleTimeout, requestTimeout: requestTimeout, shutdownTimeout: shutdownTimeout)
    return LoadedConfiguration(configuration: configuration, entries: entries, file: file)
  }

  /// Reads a setting from all of its sources, to report the faults of each; the last source counts.
  private mutating func value<Value>(of setting: Setting<Value>) -> Value? {
    var candidates = sources.candidates[setting.name] ?? []
    var result = setting.fallback
    var origin = SettingOrigin.standard
    var place: ConfigurationFault.Place?
    if let standard = setting.standard {
      candidates.insert(.reading(standard, isText: setting.isText, origin: .standard), at: 0)
    }
    for candidate in candidates {
      guard case .node(let node, let source) = candidate else {
        if case .fault(let fault) = candidate { faults.append(fault.naming(setting.name)) }
        continue
      }
      var reader = SettingReader(origin: source, setting: setting.name)
      let value = setting.rule.read(node, &reader)
      faults += reader.faults
      guard let value, reader.faults.isEmpty else { continue }
      result = value
      (origin, place) = (source, source.place(of: node))
    }
    if let result {
      entries.append(
        .init(name: setting.name, value: setting.rule.show(result), origin: origin, place: place))
    }
    return result
  }

  /// The certificate's and the key's file; one without the other is a fault.
  private mutating func tlsFiles(certificate: String?, key: String?) -> TLSFiles? {
    if let certificate, let key { return TLSFiles(certificate: certificate, key: key) }
    if certificate != nil {
      refuse(Settings.tlsCertificate, "A certificate needs its private key: set tls.key as well.")
    } else if key != nil {
      refuse(Settings.tlsKey, "A private key needs its certificate: set tls.certificate as well.")
    }
    return nil
  }

  /// Refuses an address that other machines reach: without TLS, keys and bundles cross the network readable.
  private mutating func refusePlaintext(_ address: Address?, _ setting: Setting<Address>) {
    guard let address, !address.isLoopback else { return }
    refuse(
      setting,
      "\(address) can be reached from other machines, "
        + (setting.name == Settings.listen.name
          ? "and without TLS keys would cross the network readable. Set tls.certificate and tls.key, "
            + "or listen on 127.0.0.1 behind a proxy, or set allow_plaintext: true where the network "
            + "is trusted."
          : "and operations takes no key. Listen on 127.0.0.1, or set allow_plaintext: true where the "
            + "network is trusted."))
  }

  /// Reports a value that does not fit the other settings, at the place where it is set.
  private mutating func refuse(_ setting: some SettingDescription, _ message: String) {
    guard case .node(let node, let origin)? = sources.candidates[setting.name]?.last else { return }
    faults.append(
      ConfigurationFault(
        origin: origin, place: origin.place(of: node), setting: setting.name, message: message))
  }
}

extension SettingOrigin {
  fileprivate func place(of node: YAML.Node) -> ConfigurationFault.Place? {
    if case .file = self { .init(line: node.line, column: node.column) } else { nil }
  }
}
