internal import Domain
internal import HTTPServer
internal import Observability
internal import Store

/// Judges bundles for one caller, all at one moment.
struct Judge {
  private let context: RequestContext
  private let directory: ScopedDirectory

  /// Makes a judge for the holder of a verify key.
  ///
  /// - Throws: the store's error.
  init(_ context: RequestContext, for partner: Partner) throws {
    self.context = context
    directory = ScopedDirectory(reader: try context.reader(), only: partner.key.projectID)
  }

  /// The verdict on a plain bundle.
  ///
  /// - Parameters:
  ///   - bundle: the request.
  ///   - usesUp: whether the caller uses the launch up next.
  /// - Returns: nil where the general way has to say it.
  /// - Throws: the store's error.
  func verdict(on bundle: borrowing PlainBundle, usesUp: Bool) throws -> Verdict? {
    try context.settings.verifier.verify(
      bundle, use: .leftToUse, directory: directory, at: context.now
    ).map { try noted($0, usesUp: usesUp) }
  }

  /// The verdict on any request.
  func verdict(on request: SignedRequest, usesUp: Bool) throws -> Verdict {
    try noted(
      context.settings.verifier.verify(
        request, use: .leftToUse, directory: directory, at: context.now), usesUp: usesUp)
  }

  /// The verdict on a launch that was valid before it waited for its use to be on disk: what was taken away meanwhile
  /// refuses it.
  func verdictAgain(on launch: VerifiedLaunch) throws -> Verdict {
    try context.settings.verifier.judgeAgain(
      launch, directory: directory, at: context.service.clock())
  }

  /// Notes what a launch says, used already or not.
  private func noted(_ verdict: Verdict, usesUp: Bool) throws -> Verdict {
    guard case .valid(let launch) = verdict else { return verdict }
    context.note.projectID = launch.projectID
    context.note.userID = launch.userID
    context.note.launchID = launch.launchID
    context.note.webAPIKey = launch.credentials.webAPIKey
    guard !usesUp, launch.replayPolicy == .once, try directory.isUsed(launch.launchID) else {
      return verdict
    }
    return .replayed
  }
}

extension RequestContext {
  /// Answers a verdict, and first uses the launch up if its project allows one use.
  ///
  /// - Parameters:
  ///   - verdict: the verdict so far.
  ///   - partner: the caller.
  ///   - answer: makes the answer of the final verdict, or of why the use is not certain.
  /// - Returns: the answer, which is promised where a use has to be on disk first.
  func use(
    _ verdict: Verdict, for partner: Partner,
    _ answer: @escaping (Result<Verdict, any Error>) -> Response
  ) -> Reply {
    guard case .valid(let launch) = verdict, launch.replayPolicy == .once else {
      return .now(answer(.success(verdict)))
    }
    return .later(
      promise(recording: .use(launch.launchID)) { isFirst in
        answer(
          Result {
            try isFirst.get() ? Judge(self, for: partner).verdictAgain(on: launch) : .replayed
          })
      })
  }

  /// Notes a final verdict for metrics and the access log.
  func note(_ verdict: Verdict) {
    let result = VerificationResult(verdict)
    note.verification = result
    meter.count(verification: result)
  }
}

/// What a verify key sees: all projects, or the one that it is bound to.
private struct ScopedDirectory: VerificationDirectory {
  let reader: StoreReader
  let only: ProjectID?

  func credentials(
    keyID: SigningKeyID, projectID: ProjectID?, at now: Timestamp
  ) throws -> BundleCredentials {
    try reader.knowledge.credentials(
      keyID: keyID, projectID: only == nil || only == projectID ? projectID : nil, at: now)
  }

  func isLoggedOut(
    _ userID: String, of projectID: ProjectID, since launch: Timestamp
  ) throws -> Bool {
    try reader.happenings.isLoggedOut(userID, of: projectID, since: launch)
  }

  func isUsed(_ id: LaunchID) throws -> Bool {
    try reader.happenings.isUsed(id)
  }
}
