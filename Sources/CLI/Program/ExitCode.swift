import API
import Configuration
import Domain
import HTTPServer
import Observability
import Platform
import Store

/// The program's exit statuses, with the numbers of sysexits.h.
enum ExitCode: Int32, CaseIterable {
  /// The command did what was asked.
  case success = 0
  /// Refused: not found, exists already, in use; or an invalid bundle.
  case refused = 1
  /// EX_USAGE: the command line has a mistake.
  case usage = 64
  /// EX_DATAERR: the input is wrong.
  case badData = 65
  /// EX_UNAVAILABLE: something needed is not available now.
  case unavailable = 69
  /// EX_IOERR: reading or writing failed.
  case inputOutput = 74
  /// EX_NOPERM: the user lacks the permission.
  case permission = 77
  /// EX_CONFIG: the configuration or the data directory is wrong.
  case configuration = 78

  /// The meaning, for the manual.
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

/// Why a command fails.
struct CommandFailure: Error {
  let code: ExitCode
  /// What is wrong and what to do; empty when output has said it already.
  let message: String

  init(_ code: ExitCode, _ message: String = "") {
    self.code = code
    self.message = message
  }
}

extension CommandFailure {
  /// Maps the error of any layer below to a status and a message.
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
  /// The status of a store's error.
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
  /// The status of an obstacle in the program's surroundings.
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
  /// The status of a server that does not start.
  init(_ error: ServerError) {
    self =
      switch error {
      case .permissionDenied: .permission
      case .addressNotAvailable, .unusableSocket: .configuration
      case .addressInUse, .system, .startedBefore: .unavailable
      }
  }
}
