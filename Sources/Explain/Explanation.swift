public import Domain
public import Encoding

/// What is right and wrong with a pasted launch.
///
/// It never contains an API key, a Web API Key, a signature or a whole user ID.
public struct Explanation: Sendable, Equatable {
  /// The findings, the most important first; never empty.
  public let findings: [Finding]
  /// The parts that could be read.
  public let parts: Parts
  /// Whether it explains an answer, without a launch.
  let isOfAnswer: Bool

  /// Whether the launch works, as far as the text tells.
  public enum Outcome: Sendable {
    /// It works at present.
    case works
    /// It does not work.
    case fails
    /// It cannot be told, because a part is missing, hidden or unreadable; the others have no
    /// fault.
    case undecided
    /// The text is not a launch.
    case none
  }

  /// Whether the launch works; a leak does not stop it.
  public var outcome: Outcome {
    let codes = findings.map(\.code)
    if isOfAnswer || codes.contains(.notALaunch) { return .none }
    if findings.contains(where: { $0.severity == .problem && !$0.code.isLeak }) { return .fails }
    return codes.contains(where: \.leavesOpen) ? .undecided : .works
  }

  /// Whether a secret has leaked, which needs action even where the launch works.
  public var hasLeak: Bool { findings.contains { $0.severity == .problem && $0.code.isLeak } }

  /// The outcome in one sentence.
  public var verdict: Wording {
    let verdict = outcomeInWords
    guard hasLeak else { return verdict }
    return Wording(
      korean: verdict[.korean] + " 키가 노출되어 조치가 필요합니다.",
      english: verdict[.english] + " But a key has leaked: something must be done.")
  }

  private var outcomeInWords: Wording {
    switch outcome {
    case .works where findings.contains { $0.code == .severalLaunches }:
      Wording(
        korean: "첫 번째 실행에서는 찾은 문제가 없습니다. 나머지는 살펴보지 않았습니다.",
        english: "Nothing that stops the first launch was found; the others were not looked at.")
    case .works:
      Wording(korean: "찾은 문제가 없습니다.", english: "Nothing that stops the launch was found.")
    case .fails:
      Wording(korean: "이 실행은 지금 열리지 않습니다.", english: "This launch does not work now.")
    case .undecided:
      Wording(
        korean: "이 실행이 열리는지는 이것만으로 알 수 없습니다.",
        english: "Whether this launch works cannot be told from this alone.")
    case .none where isOfAnswer:
      Wording(
        korean: "실행이 아니라 응답의 일부입니다. 뜻과 할 일은 다음과 같습니다.",
        english: "This is no launch but what was answered: what it means and what to do.")
    case .none:
      Wording(korean: "실행이 아닙니다.", english: "This is no launch.")
    }
  }

  /// The parts of the launch, unverified unless the signature is right.
  public struct Parts: Sendable, Equatable {
    /// The URL without secrets.
    public var url: String?
    /// The path inside the cashback web, decoded once.
    public var redirectTo: String?
    /// The page's name, such as `program`.
    public var page: String?
    /// The identifier of the business.
    public var businessID: String?
    /// The category's label.
    public var category: String?
    /// The project's identifier.
    public var projectID: String?
    /// The project's name, where there is such a project.
    public var projectName: String?
    /// `IOS` or `ANDROID`, as received.
    public var platform: String?
    /// The user ID with all but its ends left out.
    public var user: String?
    /// The launch's identifier.
    public var launchID: String?
    /// The signing key's public name.
    public var signingKeyID: String?
    /// When the launch was issued.
    public var issuedAt: Timestamp?
    /// From when it is refused.
    public var expiresAt: Timestamp?

    init() {}
  }
}

/// The pasted text contains nothing that can be explained.
public struct NothingToExplain: Error, Sendable, Equatable {
  private let words: Wording

  init(_ words: Wording) {
    self.words = words
  }

  /// What is wrong and what was expected.
  public func text(in language: Language) -> String { words[language] }
}
