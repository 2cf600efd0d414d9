import Domain
import DomainFixtures
import Testing

@Suite("The fields of a launch") struct LaunchRequestTests {
  @Test("all faults are reported, in the order of the fields, one code a field, unknown ones last")
  func order() throws {
    let found = try faults {
      $0.userID = nil
      $0.platform = "ios"
      $0.page = "nosuch"
      $0.ttlSeconds = 9
      $0.faults = [
        FieldFault("colour", .unknownField, "x"), FieldFault("redirect_to", .invalidField, "x"),
      ]
    }
    #expect(
      found == [
        "user_id missing_field", "platform invalid_field", "page unknown_page",
        "redirect_to invalid_field", "ttl_seconds invalid_field", "colour unknown_field",
      ])
  }

  @Test(
    "a user id is 1 to 128 visible ASCII characters",
    arguments: ["", " ", "a b", "a\nX-Evil: 1", "é", "a\u{7F}", String(repeating: "a", count: 129)])
  func userIDs(text: String) throws {
    #expect(try faults { $0.userID = text } == ["user_id invalid_field"])
  }

  @Test("the longest user id and all visible characters pass")
  func visibleUserIDs() throws {
    let visible = String(decoding: 0x21...0x7E, as: UTF8.self)
    for text in [visible, String(repeating: "~", count: 128)] {
      let launch = try issue { $0.userID = text }
      #expect(launch.headers.first { $0.name == "x-moment-user-id" }?.value == text)
    }
  }

  @Test("a lifetime lies between 10 seconds and the project's own")
  func lifetimes() throws {
    #expect(try issue().expiresIn == 300)
    #expect(try issue { $0.ttlSeconds = 10 }.expiresIn == 10)
    #expect(try issue(ttl: 60) { $0.ttlSeconds = 60 }.expiresIn == 60)
    for wrong: Int64 in [9, 301, -1, .max, .min] {
      #expect(try faults { $0.ttlSeconds = wrong } == ["ttl_seconds invalid_field"])
    }
  }

  @Test("page and redirect_to, and parameters without their page, are in conflict")
  func conflicts() throws {
    #expect(
      try faults {
        $0.page = "cs"
        $0.redirectTo = "/cs"
      } == ["redirect_to conflicting_fields"])
    #expect(
      try faults {
        $0.page = "program"
        $0.businessID = "nope"
        $0.redirectTo = "/cs"
      } == ["business_id unknown_business", "redirect_to conflicting_fields"])
    #expect(
      try faults {
        $0.faults = ["caf\u{E9}", "cafe\u{301}"].map { FieldFault($0, .unknownField, "x") }
      }.count == 2)
    #expect(try faults { $0.category = "beauty" } == ["category conflicting_fields"])
    #expect(
      try faults {
        $0.page = "main"
        $0.businessID = "11st"
      } == ["business_id conflicting_fields"])
    #expect(
      try faults {
        $0.redirectTo = "/cashback"
        $0.category = "beauty"
      } == ["category conflicting_fields"])
  }

  @Test("a page's own parameters are checked")
  func parameters() throws {
    let program: (String?) -> (inout LaunchRequest) -> Void = { id in
      { request in
        request.page = "program"
        request.businessID = id
      }
    }
    #expect(try faults(program(nil)) == ["business_id missing_parameter"])
    #expect(try faults(program("")) == ["business_id missing_parameter"])
    #expect(try faults(program("closedmall")) == ["business_id inactive_business"])
    #expect(try faults(program("coupnag")) == ["business_id unknown_business"])
    #expect(
      try faults {
        $0.page = "main"
        $0.category = "nosuch"
      } == ["category unknown_category"])
  }

  @Test("an unknown business comes with near ids")
  func suggestions() throws {
    let error = try #require(throws: FieldFaults.self) {
      try issue {
        $0.page = "program"
        $0.businessID = "coupnag"
      }
    }
    #expect(error.all.first?.suggestions == ["coupang"])
  }

  @Test("gateway delivery puts the launch's name in the place of the Web API Key")
  func delivery() throws {
    let key: (Launch) -> String? = { launch in
      launch.headers.first { $0.name == "x-moment-web-api-key" }?.value
    }
    #expect(key(try issue(delivery: .direct)) == "wk_0123456789abcdef")
    let launch = try issue(delivery: .gateway)
    #expect(key(launch) == "launch-\(launch.id)")
  }
}
