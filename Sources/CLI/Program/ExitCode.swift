import Platform
import Observability
import HTTPServer
import API
import Configuration
import Domain
import Store

/// How the program ends; the numbers of sysexits.h.
enum ExitCode: Int32, CaseIterable {
  /// It did what was asked.
  case success = 0
  /// Refused: not found, exists already, in use; or an invalid bundle.
  case refused = 1
  /// EX_USAGE: the command line says nothing that could be done.
  case usage = 64
  /// EX_DATAERR: what was given to read is wrong.
  case badData = 65
  /// EX_UNAVAILABLE: something that is needed is not there now.
  case unavailable = 69
  /// EX_IOERR: reading or writing failed.
  case inputOutput = 74
  /// EX_NOPERM: this user may not.
  case permission = 77
  /// EX_CONFIG: the configuration or the data directory is not fit.
  case configuration = 78

  /// What it says to who ran the program, for the manual.
  var meaning: String {
    switch self {
    case .success: "The command did what was asked."
    case .refused:
      "Refused: something is not found, exists already or is in use; or a bundle is not valid."
    case .usage: "The command line says nothing that could be done."
    case .badData: "What was given to read is wrong."
    case .unavailable: "Something that is needed is not there now."
    case .inputOutput: "Reading or writing failed."
    case .permission: "This user may not."
    case .configuration: "The configuration or the data directory is not fit."
    }
  }
}

/// Why a command ends without having done what it was asked for.
struct CommandFailure: Error {
  let code: ExitCode
  /// What is wrong and what to do; empty where output has said it already.
  let message: String

  init(_ code: ExitCode, _ message: String = "") {
    self.code = code
    self.message = message
  }
}

extension CommandFailure {
  /// Says in the command's terms what any layer below reports.
  init(describing error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as UsageError: self.init(.usage, error.message)
    case let error as StoreError: self.init(ExitCode(error.kind), error.description)
    case let error as SetupError: self.init(ExitCode(error.kind), error.description)
    case let faults as ConfigurationFaults: self.init(ExitCode(faults.kind), faults.description)
    case let faults as CatalogFaults: self.init(.badData, faults.description)
    case let error as UnknownUpstream:
      self.init(
        .configuration,
        "The project's upstream \(quoted(error.name)) is not configured; there are "
          + error.known.joined(separator: ", ")
          + ". Configure it or choose another for the project.")
    case let error as ServerError: self.init(ExitCode(error), error.description)
    case let error as AccessLogError: self.init(.inputOutput, error.description)
    case let error as FileError:
      self.init(error.isTooLong ? .badData : .inputOutput, error.description)
    default: self.init(.inputOutput, "Something unforeseen went wrong: \(error).")
    }
  }
}

extension ExitCode {
  /// The code of what the store reports.
  init(_ kind: StoreError.Kind) {
    self =
      switch kind {
      case .notFound, .alreadyExists, .inUse: .refused
      case .invalid: .badData
      case .permission: .permission
      case .unusable: .configuration
      case .inputOutput: .inputOutput
      case .unavailable: .unavailable
      }
  }
}

extension ExitCode {
  /// The code of a program that cannot work where it runs.
  init(_ kind: SetupError.Kind) {
    self =
      switch kind {
      case .configuration: .configuration
      case .permission: .permission
      case .unavailable: .unavailable
      case .inputOutput: .inputOutput
      }
  }
}

extension ExitCode {
  /// The code of a server that does not start.
  init(_ error: ServerError) {
    self =
      switch error {
      case .permissionDenied: .permission
      case .addressNotAvailable, .unusableSocket: .configuration
      case .addressInUse, .system, .startedBefore: .unavailable
      }
  }
}
