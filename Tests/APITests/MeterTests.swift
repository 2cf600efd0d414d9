import Domain
import HTTPServer
import Store
import Testing
import TestSupport

@testable import API
@testable import Observability

@Suite struct MeterTests {
  private func project(_ number: Int) throws -> ProjectID {
    let digits = String(number, radix: 16)
    return try #require(
      ProjectID(String(repeating: "0", count: 24 - digits.count) + digits))
  }

  @Test func usageIsGivenOnce() throws {
    let api = try TestAPI()
    #expect(api.service.drainUsage().isEmpty)
    #expect(api.launch(#"{"user_id":"u","platform":"IOS","page":"cs"}"#).status == 200)
    #expect(
      api.launch(#"{"user_id":"u","platform":"IOS","redirect_to":"/cs?x=1"}"#).status == 200)
    #expect(api.launch(#"{"user_id":"u","platform":"ANDROID"}"#).status == 200)
    #expect(api.launch(#"{"user_id":"u","platform":"IOS","page":"none"}"#).status == 422)
    let usage = api.service.drainUsage()
    let tally = { (page: String?, platform: Platform) in
      LaunchTally(
        projectID: api.project.id, keyID: api.key.key.id, page: page, platform: platform)
    }
    #expect(usage.launches == [tally("cs", .ios): 2, tally(nil, .android): 1])
    #expect(usage.lastUsed.keys.map { $0 } == [api.key.key.id])
    #expect(api.service.drainUsage().isEmpty)
  }

  @Test func aBatchCountsItsGoodItems() throws {
    let api = try TestAPI()
    let body = #"{"user_id":"u","platform":"IOS","items":[{"page":"cs"},{"page":"no"},{}]}"#
    #expect(api.ask(.post, "/launch/batch", body: body).status == 200)
    #expect(api.service.drainUsage().launches.values.reduce(0, +) == 2)
  }

  @Test func metricsGoOnAfterTheUsageWasTaken() throws {
    let api = try TestAPI()
    for _ in 0..<3 {
      #expect(api.launch().status == 200)
      _ = api.service.drainUsage()
    }
    let sample =
      #"launchlink_launches_total{project="67b6f2a9688f4a05db0a1d45",page="none",platform="IOS"} 3"#
    #expect(api.samples(of: "launchlink_launches_total") == [sample])
  }

  @Test func projectsBeyondTheLimitAreCountedTogether() throws {
    let meters = MeterList()
    let meter = meters.makeMeter()
    let key = try #require(KeyID("key_0123456789ab"))
    let limit = MeterList.largestNumberOfProjects
    for number in 0..<(limit + 5) {
      meter.count(
        launch: LaunchTally(
          projectID: try project(number), keyID: key, page: nil, platform: .ios))
    }
    let totals = meters.launchTotals()
    #expect(totals.count == limit + 1)
    #expect(totals.first { $0.key.project == .other }?.value == 5)
    // Whoever has a name keeps it.
    let named = try #require(totals.keys.first { $0.project != .other })
    meter.count(
      launch: LaunchTally(projectID: try project(0), keyID: key, page: nil, platform: .ios))
    #expect(meters.launchTotals().count == limit + 1)
    #expect(meters.launchTotals()[named] != nil)
  }

  @Test func aKeyIsUsedWhereItIsAcceptedOnly() throws {
    let api = try TestAPI()
    let other = try api.addKey([.catalog])
    #expect(api.ask(.get, "/categories", key: other).status == 200)
    #expect(api.ask(.post, "/launch", key: other, body: "{}").status == 403)
    #expect(api.ask(.get, "/whoami", key: "llk_wrong").status == 401)
    #expect(api.service.drainUsage().lastUsed.count == 1)
  }

  @Test func aRefusalOverTheLimitIsCountedForItsProject() throws {
    let api = try TestAPI(rateLimit: 1)
    for _ in 0..<5 { _ = api.launch() }
    #expect(
      api.samples(of: "launchlink_rate_limited_total") == [
        #"launchlink_rate_limited_total{project="67b6f2a9688f4a05db0a1d45"} 3"#
      ])
  }
}
