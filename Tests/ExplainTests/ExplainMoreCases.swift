import Cryptography
import Domain
import DomainFixtures
import Explain
import Testing

extension BrokenLaunch {
  /// Changes that can be told since the signature fits what was there before.
  static let alterations: [BrokenLaunch] = [
    BrokenLaunch("IOS and ANDROID swapped", .alteredPart, "x-moment-platform", "‘IOS’", "‘ANDROID’")
    {
      $0.with("x-moment-platform") { _ in "ANDROID" }
    },
    BrokenLaunch("a platform in small letters", .alteredPart, "‘IOS’", "‘ios’") {
      $0.with("x-moment-platform") { $0.lowercased() }
    },
    BrokenLaunch("a user id in small letters", .alteredPart, "x-moment-user-id", "Capital") {
      $0.with("x-moment-user-id") { $0.lowercased() }
    },
    BrokenLaunch("a user id in quotation marks", .alteredPart, "x-moment-user-id", "Quotation") {
      $0.with("x-moment-user-id") { "\"\($0)\"" }
    },
    BrokenLaunch("two values swapped", .alteredPart, "swapped") { paste in
      let (user, platform) = (paste.value("x-moment-user-id"), paste.value("x-moment-platform"))
      return paste.with("x-moment-user-id") { _ in platform }.with("x-moment-platform") { _ in user
      }
    },
    BrokenLaunch("a real key for the stand-in", .leakedWebAPIKey, "must never leave") {
      $0.with("x-moment-web-api-key") { _ in Office.webAPIKey }
    },
    BrokenLaunch("another key for the real one", .alteredPart, "real Web API Key") {
      let paste = try Pasted.program(.direct).with("x-moment-web-api-key") { _ in "wk_old_one_1234"
      }
      return (paste.json, try Office(delivery: .direct), issueTime)
    },
    BrokenLaunch("an expiry put off", .alteredPart, "signature-input", "expiry was changed") {
      $0.with("signature-input") { $0.replacing("expires=1764461100", with: "expires=1764464400") }
    },
    BrokenLaunch("blanks in signature-input", .alteredPart, "spacing") {
      $0.with("signature-input") { $0.replacing(";", with: "; ") }
    },
    BrokenLaunch("redirect_to lost", .alteredPart, "was lost", "%2Fsettings") {
      let paste = try Pasted.to("/settings").withURL { String($0.prefix { $0 != "?" }) }
      return (paste.json, try Office(), issueTime)
    },
    BrokenLaunch("another business", .unknownBusiness, "11st") { paste in
      paste.withURL { $0.replacing("11st", with: "11stt") }
    },
    BrokenLaunch("something added to the URL", .alteredPart, "added", "utm=…") { paste in
      paste.withURL { $0 + "&utm=1" }
    },
  ]

  static let times: [BrokenLaunch] = [
    BrokenLaunch("expired", .expired, "2 hours 55 minutes ago", "lived 5 minutes") {
      (try Pasted.program().json, try Office(), issueTime.adding(seconds: 3 * 3600))
    },
    BrokenLaunch("expired as it seems", .expired, "5 seconds ago") {
      (
        try Pasted.program().without("signature").lines, try Office(),
        issueTime.adding(seconds: 305)
      )
    },
    BrokenLaunch("issued in the future", .notYetValid, "1 minute in the future") {
      (try Pasted.program().json, try Office(), issueTime.adding(seconds: -60))
    },
    BrokenLaunch("older than its project", .olderThanProject, "anew") {
      var office = try Office()
      office.projects = [try makeProject(createdAt: issueTime.adding(seconds: 1))]
      return (try Pasted.program().json, office, issueTime.adding(seconds: 2))
    },
  ]

  static let used: [BrokenLaunch] = [
    BrokenLaunch("revoked by a log-out", .revokedLaunch, "signed out") {
      var office = try Office()
      office.loggedOutAt = issueTime.adding(seconds: 1)
      return (try Pasted.program().json, office, issueTime.adding(seconds: 2))
    },
    BrokenLaunch("used before", .usedLaunch, "once") {
      var office = try Office()
      office.isUsedUp = true
      office.projects[0].replayPolicy = .once
      return (try Pasted.program().json, office, issueTime)
    },
  ]

  static let secrets: [BrokenLaunch] = [
    BrokenLaunch("an API key", .leakedAPIKey, "key_", "Rotate") {
      var generator = SecureRandom()
      let key = APIKeySecret(using: &generator)
      var paste = try Pasted.program()
      paste.headers.append(("Authorization", "Bearer \(key.secret)"))
      return (paste.curl, try Office(), issueTime)
    },
    BrokenLaunch("an API key by itself", .leakedAPIKey, "key_") {
      var generator = SecureRandom()
      return ("키: \(APIKeySecret(using: &generator).secret)", try Office(), issueTime)
    },
    BrokenLaunch("the real key, delivered directly", .leakedWebAPIKey, "delivers it directly") {
      (try Pasted.program(.direct).json, try Office(delivery: .direct), issueTime)
    },
    BrokenLaunch("a stranger's Web API Key", .leakedWebAPIKey, "not the project's present one") {
      $0.with("x-moment-web-api-key") { _ in "wk_stranger_12345678" }
    },
  ]

  static let untold: [BrokenLaunch] = [
    BrokenLaunch("cut off", .cutOff, "cut off in the middle") {
      (String(try Pasted.program().json.dropLast(30)), try Office(), issueTime)
    },
    BrokenLaunch("masked", .masked, "shortened", "signature") {
      $0.with("signature") { _ in "***" }
    },
    BrokenLaunch("unreadable", .unreadable, "not be read", "lost its quotation marks") {
      let paste = try Pasted.program().with("signature-input") { $0.replacing("\"", with: "") }
      return (paste.lines, try Office(), issueTime)
    },
    BrokenLaunch("more headers than are read", .limitReached, "more headers") {
      var paste = $0
      for number in 0..<80 { paste.headers.append(("h\(number)", "v")) }
      return paste
    },
    BrokenLaunch("a code", .answeredCode, "replayed", "used already", "each time") {
      ("x-launch-code: replayed", try Office(), issueTime)
    },
    BrokenLaunch("a status", .answeredStatus, "429", "too fast") {
      ("HTTP/1.1 429 Too Many Requests", try Office(), issueTime)
    },
    BrokenLaunch("a request id", .requestID, "e0a62ead637dd46e-00000000025", "access log") {
      ("request_id: e0a62ead637dd46e-00000000025", try Office(), issueTime)
    },
    BrokenLaunch("a launch id", .launchID, "was issued at", "Send the URL") {
      ("01a2272d-267b-7abc-8def-0123456789ab", try Office(), issueTime)
    },
  ]

  static let right: [BrokenLaunch] = [
    BrokenLaunch("right: the URL", .rightURL, "program", "11st") { $0 },
    BrokenLaunch("right: the signature", .rightSignature) { $0 },
    BrokenLaunch("right: the time", .inTime, "in 5 minutes", "09:05:00 Korean time") { $0 },
    BrokenLaunch("right: the project", .rightProject, "Acme") { $0 },
    BrokenLaunch("right: the start page", .rightURL, "start page") {
      (try Pasted.to(nil).json, try Office(), issueTime)
    },
  ]
}
