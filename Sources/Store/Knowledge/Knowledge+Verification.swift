public import Domain

extension Knowledge {
  /// What a verification needs, all of one moment and remembered as one value.
  ///
  /// - Parameters:
  ///   - keyID: the signing key that a bundle names.
  ///   - projectID: the project that it names; nil where that is none or not visible to the caller.
  ///   - now: the time of the verification.
  /// - Returns: what is known of both. A Web API Key that cannot be opened is left out, since only what needs it may
  ///   fail of it: ``webAPIKey(of:)`` says why.
  /// - Throws: `StoreError` where the database cannot be read or the signing key's secret cannot be opened.
  public func credentials(
    keyID: SigningKeyID, projectID: ProjectID?, at now: Timestamp
  ) throws -> BundleCredentials {
    try read {
      if let last = memory.lastVerifier, last.key.id == keyID,
        last.credentials.project.id == projectID
      {
        return last.key.verifies(at: now) ? .known(last.credentials) : .unknownKey
      }
      let name = projectID.map { KnowledgeMemory.VerifierName(keyID: keyID, projectID: $0) }
      if let name, let known = memory.verifiers[name] {
        memory.lastVerifier = known
        return known.key.verifies(at: now) ? .known(known.credentials) : .unknownKey
      }
      guard let key = try knownSigningKey(keyID), key.verifies(at: now) else { return .unknownKey }
      guard let name, let project = try knownProject(name.projectID) else { return .unknownProject }
      let credentials = VerificationCredentials(
        project: project,
        signer: LaunchSigner(
          keyID: keyID, secret: try keyRing.secret(of: keyID, in: rows), projectID: project.id),
        webAPIKey: try openedWebAPIKey(of: project))
      memory.verifiers.remember(.init(key: key, credentials: credentials), as: name)
      return .known(credentials)
    }
  }

  /// The Web API Key of a project; nil where it cannot be opened.
  private func openedWebAPIKey(of project: Project) throws -> String? {
    do {
      return try knownWebAPIKey(of: project)
    } catch let error as StoreError where error.kind == .unusable {
      return nil
    }
  }
}
