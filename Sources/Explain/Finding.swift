internal import Domain
public import Encoding

/// One thing that is right or wrong with a pasted launch, for people.
public struct Finding: Sendable, Equatable {
  /// How much a finding matters.
  public enum Severity: String, Sendable, CaseIterable {
    /// The launch does not work, or a secret has leaked.
    case problem
    /// The launch may work, but something is not as it should be.
    case warning
    /// This part is right.
    case good
  }

  /// What a finding is about, for programs; in order of importance.
  public enum Code: String, Sendable, CaseIterable {
    // Secrets
    case leakedAPIKey = "leaked_api_key"
    case leakedWebAPIKey = "leaked_web_api_key"
    // Nothing can be right without these
    case notALaunch = "not_a_launch"
    // What was answered
    case answeredCode = "answer_code"
    case answeredStatus = "answer_status"
    case requestID = "request_id"
    case launchID = "launch_id"
    // What cannot be told
    case cutOff = "cut_off"
    case masked
    case unreadable
    case missingURL = "missing_url"
    // The URL
    case wrongHost = "wrong_host"
    case doubleEncoded = "double_encoded"
    case notEncoded = "not_encoded"
    case plusForSpace = "plus_for_space"
    case otherEncoding = "other_encoding"
    case invalidRedirect = "invalid_redirect"
    case unknownPage = "unknown_page"
    case unknownBusiness = "unknown_business"
    case inactiveBusiness = "inactive_business"
    case categoryKey = "category_key"
    case unknownCategory = "unknown_category"
    case missingParameter = "missing_parameter"
    case duplicateParameter = "duplicate_parameter"
    case missingRedirect = "missing_redirect"
    case doubledRedirect = "doubled_redirect"
    case wrongScheme = "wrong_scheme"
    case wrongUpstream = "wrong_upstream"
    case wrongPath = "wrong_path"
    case wrongMethod = "wrong_method"
    // The headers
    case missingHeader = "missing_header"
    case doubledHeader = "doubled_header"
    // The signature and what it vouches for
    case malformedSignature = "malformed_signature"
    case wrongTag = "wrong_tag"
    case wrongAlgorithm = "wrong_algorithm"
    case missingComponent = "missing_component"
    case unknownProject = "unknown_project"
    case disabledProject = "project_disabled"
    case revokedKey = "revoked_key"
    case retiredKey = "retired_key"
    case pendingKey = "pending_key"
    case unknownKey = "unknown_key"
    case alteredPart = "altered_part"
    case signatureMismatch = "signature_mismatch"
    case expired
    case notYetValid = "not_yet_valid"
    case olderThanProject = "older_than_project"
    case revokedLaunch = "revoked_launch"
    case usedLaunch = "used_launch"
    // What to pay attention to
    case misplacedParameter = "misplaced_parameter"
    case headersNotGiven = "headers_not_given"
    case severalLaunches = "several_launches"
    case repairedPaste = "repaired_paste"
    case limitReached = "limit_reached"
    // What is right
    case rightURL = "right_url"
    case rightSignature = "right_signature"
    case inTime = "in_time"
    case rightProject = "right_project"

    /// Whether it concerns a secret rather than whether the launch works.
    var isLeak: Bool { self == .leakedAPIKey || self == .leakedWebAPIKey }

    /// Whether it means that a part is missing without which the outcome cannot be told.
    var leavesOpen: Bool {
      [.missingURL, .headersNotGiven, .cutOff, .masked, .unreadable].contains(self)
    }
  }

  /// How much it matters.
  public let severity: Severity
  /// What it is about.
  public let code: Code
  private let words: Wording
  private let counsel: Wording?

  /// Makes a finding; `advice` is what to tell the partner.
  init(_ severity: Severity, _ code: Code, _ text: Wording, advice: Wording? = nil) {
    self.severity = severity
    self.code = code
    words = text
    counsel = advice
  }

  /// What was found, in one or two sentences.
  public func text(in language: Language) -> String { words[language] }

  /// What to tell the partner; nil where there is nothing to do.
  public func advice(in language: Language) -> String? { counsel?[language] }

  /// The finding with each text changed by `change`.
  func mapped(_ change: (String) -> String) -> Finding {
    Finding(severity, code, words.mapped(change), advice: counsel?.mapped(change))
  }
}
