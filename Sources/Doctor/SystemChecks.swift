import Configuration
import Domain
import Glibc
import HTTPServer
import Platform
import SQLiteStore
import Store

extension HealthCheck {
  static let clock = HealthCheck(name: "clock") { patient in
    var findings: [HealthFinding] = []
    if let latest = patient.known?.latestTime, latest > patient.now.adding(seconds: 60) {
      findings.append(
        .error(
          "it says \(patient.now), and the database has something of \(latest)",
          why: "launches are issued with a wrong time and refused, log-outs come too late",
          mend: "set the clock: timedatectl set-ntp true"))
    }
    if MachineClock.isSynchronized == false {
      findings.append(
        .warning(
          "the system does not keep it synchronised",
          why: "bundles live for minutes: a clock that drifts refuses good ones",
          mend: "timedatectl set-ntp true, or run chrony; in a container it is the host's business")
      )
    }
    return findings.isEmpty ? [.ok("not set back, and nothing says it drifts")] : findings
  }

  static let disk = HealthCheck(name: "disk") { patient in
    var room = statvfs()
    guard patient.owner != nil, statvfs(patient.directory, &room) == 0 else { return [] }
    let free = Int(room.f_bavail) * Int(room.f_frsize)
    let sizes = SQLiteStore.sizes(directory: patient.directory)
    return diskFindings(
      free: free, database: sizes.database, log: sizes.writeAheadLog,
      // Some file systems have no fixed number of files.
      freeFiles: room.f_files == 0 ? nil : Int(room.f_favail), directory: patient.directory)
  }

  /// The size of the write-ahead log that only a long reader causes, in bytes.
  private static let largestLog = 64 << 20

  /// The findings about free space.
  static func diskFindings(
    free: Int, database: Int, log: Int = 0, freeFiles: Int?, directory: String
  ) -> [HealthFinding] {
    let mend = "df -h \(directory); df -i \(directory)"
    var findings: [HealthFinding] = []
    if free < 16 << 20 {
      findings.append(
        .error(
          "\(free >> 20) MiB are free", why: "a full disk takes no change and no count", mend: mend)
      )
    } else if free < max(256 << 20, database * 3) {
      findings.append(
        .warning(
          "\(free >> 20) MiB are free for a database of \(database >> 20) MiB",
          why: "the log, a backup and an upgrade need room", mend: mend))
    }
    if let freeFiles, freeFiles < 1000 {
      findings.append(
        .warning(
          "\(freeFiles) more files can be made", why: "the database needs some beside it",
          mend: mend))
    }
    if log > largestLog {
      findings.append(
        .warning(
          "the database's write-ahead log takes \(log >> 20) MiB",
          why: "something has been reading the database for long, and it grows until that ends",
          mend:
            "fuser -v \(directory)/launchlink.db; end what is no server; the next changes cut it "
            + "back"))
    }
    return findings.isEmpty
      ? [.ok("\(free >> 20) MiB free; the write-ahead log takes \(log >> 10) KiB")] : findings
  }

  static let descriptors = HealthCheck(name: "open files") { patient in
    guard let configuration = patient.configuration else { return [] }
    guard let shortage = FileDescriptors.Shortage(of: configuration) else {
      return [.ok("\(configuration.connectionLimit) connections fit into the limit")]
    }
    let why = "those that come when all are taken make the one go that has been idle for longest"
    let mend = "raise LimitNOFILE or ulimit -n for the service, or lower limits.connections"
    return [
      shortage.fitting > 0
        ? .warning(shortage.finding, why: why, mend: mend)
        : .error(shortage.finding, why: "the server does not start", mend: mend)
    ]
  }

  static let accessLog = HealthCheck(name: "access log") { patient in
    guard case .success(let loaded) = patient.loaded, let path = loaded.configuration.accessLog,
      path != "-"
    else { return [] }
    let faults = NamedFiles(of: loaded, at: patient.now).faults.filter {
      $0.setting == Settings.accessLog.name
    }
    guard !faults.isEmpty else { return [.ok("\(path) can be written")] }
    return faults.map {
      .error(
        $0.description, why: "the server does not start without its log",
        mend: "make its directory for the owner of the data directory, or change access_log")
    }
  }

  static let listeners = HealthCheck(name: "listeners") { patient in
    guard let configuration = patient.configuration else { return [] }
    var findings: [HealthFinding] = []
    let named = [
      ("listen", configuration.listen, configuration.tls == nil),
      ("operations_listen", configuration.operationsListen, true),
    ]
    for (name, address, isPlain) in named where !address.isLoopback && isPlain {
      findings.append(
        .warning(
          "\(name) is \(address), which other machines reach without TLS",
          why: "keys and bundles cross the network readable",
          mend: "listen on 127.0.0.1 behind a proxy with TLS"))
    }
    if configuration.publicURL == nil, !configuration.listen.isLoopback {
      findings.append(
        .warning(
          "public_url is not set",
          why: "the support pages take no sign-in but from where they listen",
          mend: "set public_url to the address that browsers see"))
    }
    return findings.isEmpty
      ? [.ok("\(configuration.listen), \(configuration.operationsListen)")] : findings
  }

  static let server = HealthCheck(name: "server") { patient in
    guard let configuration = patient.configuration else { return [] }
    let operations = configuration.operationsListen
    if let answer = Probe.status(of: "/readyz", at: operations) {
      if answer == 200 { return [.ok("it runs, and is ready")] }
      return [
        .error(
          "what listens on \(operations) answers /readyz with \(answer)",
          why: "it issues no launches, or is another program",
          mend: "curl -s http://\(operations)/readyz; look into the server's log")
      ]
    }
    let taken = [configuration.listen, operations].filter(Probe.isTaken)
    if taken.isEmpty, SQLiteStore.isInUse(directory: configuration.dataDirectory) {
      return [
        .warning(
          "a server has the database open, and does not listen on \(operations)",
          why: "what it answers to /readyz is not known here",
          mend: "give doctor the settings that the server was started with")
      ]
    }
    return taken.isEmpty
      ? [.ok("none runs here now")]
      : taken.map {
        .error(
          "another program listens on \($0)", why: "the server cannot start",
          mend: "ss -ltnp 'sport = :\($0.port)', then end it or choose another port")
      }
  }
}

/// Finds out what listens on an address.
private enum Probe {
  private static let patience = timeval(tv_sec: 2, tv_usec: 0)

  static func isTaken(_ address: Address) -> Bool {
    guard let descriptor = connect(to: address) else { return false }
    close(descriptor)
    return true
  }

  /// The status of a GET; nil when nothing answers in HTTP.
  static func status(of path: String, at address: Address) -> Int? {
    guard let descriptor = connect(to: address) else { return nil }
    defer { close(descriptor) }
    let request = Array(
      "GET \(path) HTTP/1.1\r\nHost: \(address)\r\nConnection: close\r\n\r\n".utf8)
    guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
    else { return nil }
    var answer = [UInt8](repeating: 0, count: 64)
    let count = recv(descriptor, &answer, answer.count, 0)
    guard count > 12 else { return nil }
    let words = String(decoding: answer[..<count], as: UTF8.self).split(separator: " ")
    guard words.count > 1, words[0].hasPrefix("HTTP/") else { return nil }
    return Int(words[1])
  }

  private static func connect(to address: Address) -> Int32? {
    guard address.port != 0 else { return nil }
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address.host, "\(address.port)", &hints, &found) == 0, let found else {
      return nil
    }
    defer { freeaddrinfo(found) }
    let descriptor = socket(found.pointee.ai_family, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    var limit = patience
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    guard Glibc.connect(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }
}
