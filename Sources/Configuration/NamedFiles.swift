public import Domain
import Glibc
public import HTTPServer
import Observability
import Platform

/// The files that a configuration names outside of the data directory: certificate, private key and access log.
///
/// They are seen with the rights of the process's user. The system's limit of open files is looked at as well.
public struct NamedFiles {
  /// The server's certificate and key; nil without TLS, and when they have a fault.
  public private(set) var identity: TLSIdentity?
  /// What does not keep a server from starting and has to be mended all the same.
  public private(set) var warnings: [String] = []
  /// Everything that keeps a server from starting.
  public private(set) var faults: [ConfigurationFault] = []

  private let file: String?
  private var heldPipe: HeldPipe?

  /// Looks at the files and changes nothing.
  ///
  /// Only opening a pipe tells whether somebody reads it. It stays open as long as this value, since its reader
  /// would take closing it for the end of the log.
  ///
  /// - Parameters:
  ///   - loaded: the configuration.
  ///   - now: the time at which the certificate has to be valid.
  public init(of loaded: LoadedConfiguration, at now: Timestamp) {
    file = loaded.file
    readTLS(loaded, at: now)
    lookAtAccessLog(loaded)
    if let shortage = FileDescriptors.Shortage(of: loaded.configuration) {
      if shortage.fitting > 0 {
        warnings.append(shortage.description)
      } else {
        faults.append(
          loaded.fault(of: Settings.connectionLimit, shortage.description, .unavailable))
      }
    }
  }

  /// Throws when a server cannot start with the files.
  ///
  /// - Throws: `ConfigurationFaults`.
  public func requireFit() throws(ConfigurationFaults) {
    guard faults.isEmpty else { throw ConfigurationFaults(all: faults, file: file) }
  }

  private mutating func readTLS(_ loaded: LoadedConfiguration, at now: Timestamp) {
    guard let files = loaded.configuration.tls else { return }
    let reading = files.read(loaded)
    faults += reading.faults
    identity = reading.identity
    if let identity, let warning = files.warning(about: identity, at: now) {
      warnings.append(loaded.fault(of: Settings.tlsCertificate, warning).description)
    }
  }

  private mutating func lookAtAccessLog(_ loaded: LoadedConfiguration) {
    guard let path = loaded.configuration.accessLog, path != "-" else { return }
    var status = stat()
    let parent = FilePath.directory(of: path)
    let isUsable: Bool
    if stat(path, &status) != 0 {
      isUsable = errno == ENOENT && access(parent, W_OK | X_OK) == 0
    } else {
      switch status.st_mode & S_IFMT {
      case S_IFDIR:
        errno = EISDIR
        isUsable = false
      case S_IFIFO, S_IFSOCK:
        heldPipe = HeldPipe(path)
        isUsable = heldPipe != nil
      default:
        isUsable = access(path, W_OK) == 0
      }
    }
    guard !isUsable else { return }
    let number = errno
    let hint =
      number == ENOENT ? " Make \(parent) for the owner of the data directory." : userHint(number)
    faults.append(
      loaded.fault(
        of: Settings.accessLog,
        "the access log \(path) cannot be opened: \(AccessLogError.reason(number)).\(hint)",
        number == EACCES ? .permission : .configuration))
  }
}

/// A pipe that has a reader, held open for writing; nothing is written.
private final class HeldPipe {
  private let descriptor: Int32

  /// Opens the pipe; nil when it cannot be opened, with the reason in `errno`.
  init?(_ path: String) {
    let opened = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    guard opened >= 0 else { return nil }
    descriptor = opened
  }

  deinit {
    close(descriptor)
  }
}

/// The user whom the system refused; empty for another reason.
private func userHint(_ number: Int32) -> String {
  guard number == EACCES else { return "" }
  return " The server runs as \(SystemUser.name(of: geteuid()))."
}

extension TLSFiles {
  private static let largestFile = 1 << 20
  private static let secondsBeforeExpiry: Int64 = 14 * 86_400

  /// Reads and checks both files.
  ///
  /// - Returns: the certificate and its key, or the faults of both files.
  fileprivate func read(
    _ loaded: LoadedConfiguration
  ) -> (identity: TLSIdentity?, faults: [ConfigurationFault]) {
    var faults: [ConfigurationFault] = []
    let chain = Self.read(certificate, Settings.tlsCertificate, loaded, &faults)
    let secret = Self.read(key, Settings.tlsKey, loaded, &faults)
    if let fault = looseMode(loaded) { faults.append(fault) }
    guard let chain, let secret, faults.isEmpty else { return (nil, faults) }
    do throws(TLSError) {
      return (try TLSIdentity(certificate: chain, key: secret), [])
    } catch {
      let fault =
        switch error {
        case .certificate(let reason):
          loaded.fault(
            of: Settings.tlsCertificate, "\(certificate) is no certificate in PEM: \(reason).")
        case .key(let reason):
          loaded.fault(of: Settings.tlsKey, "\(key) is no private key in PEM: \(reason).")
        case .mismatch:
          loaded.fault(
            of: Settings.tlsKey,
            "the private key \(key) does not belong to the certificate \(certificate).")
        case .outOfMemory:
          loaded.fault(of: Settings.tlsKey, "there is no memory left to read it.", .unavailable)
        }
      return (nil, [fault])
    }
  }

  /// Why clients refuse the certificate now or soon; nil when they do not.
  fileprivate func warning(about identity: TLSIdentity, at now: Timestamp) -> String? {
    let (start, end) = (identity.notBefore, identity.notAfter)
    if end <= now.seconds {
      return "\(certificate) expired at \(Timestamp(seconds: end)): clients refuse it."
    }
    if start > now.seconds {
      return "\(certificate) is not valid before \(Timestamp(seconds: start)): clients refuse it."
    }
    guard end - now.seconds < Self.secondsBeforeExpiry else { return nil }
    return "\(certificate) expires at \(Timestamp(seconds: end)): renew it, then reload."
  }

  /// A fault when other users could read the key: whoever has it can pretend to be the server.
  private func looseMode(_ loaded: LoadedConfiguration) -> ConfigurationFault? {
    var status = stat()
    guard stat(key, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_mode & 0o027 != 0
    else { return nil }
    return loaded.fault(
      of: Settings.tlsKey,
      "\(key) has mode 0\(String(status.st_mode & 0o7777, radix: 8)), so that others could read or "
        + "change it. Run: chmod 0600 \(key)", .permission)
  }

  private static func read(
    _ path: String, _ setting: some SettingDescription, _ loaded: LoadedConfiguration,
    _ faults: inout [ConfigurationFault]
  ) -> [UInt8]? {
    guard access(path, R_OK) == 0 else {
      let number = errno
      faults.append(
        loaded.fault(
          of: setting,
          "cannot read \(path): \(systemMessage(number)).\(userHint(number))",
          number == EACCES ? .permission : .configuration))
      return nil
    }
    do {
      return try readFile(path, limit: largestFile, isPlain: true)
    } catch {
      faults.append(loaded.fault(of: setting, error.description))
      return nil
    }
  }
}
