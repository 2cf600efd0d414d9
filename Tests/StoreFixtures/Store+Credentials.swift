public import Domain
public import Store

extension Store {
  /// What issuing a launch by hand is given.
  public func launchCredentials(of project: ProjectID, by actor: Actor) throws -> LaunchCredentials
  {
    guard let id = LaunchID("01a2272d-267b-7abc-8def-0123456789ab") else {
      throw StoreError(.invalid, "The id of the launch is not one.")
    }
    var given: LaunchCredentials?
    try issueLaunch(of: project, by: actor) { credentials, _ in
      given = credentials
      return LaunchRecord(
        id, of: "kim", on: .ios, page: nil, redirectTo: nil)
    }
    guard let given else { throw StoreError(.notFound, "The store gave no credentials.") }
    return given
  }
}
