import Cryptography
import Domain
import DomainFixtures
import Explain
import Testing

/// One broken launch, and what has to be said of it.
struct BrokenLaunch: Sendable, CustomTestStringConvertible {
  let name: String
  /// The finding that has to be there, and the first of all where it is a problem.
  let code: Finding.Code
  /// What its English text or advice has to hold.
  let words: [String]
  let make: @Sendable () throws -> (text: String, office: Office, now: Timestamp)

  var testDescription: String { name }

  init(
    _ name: String, _ code: Finding.Code, _ words: String...,
    make: @escaping @Sendable () throws -> (String, Office, Timestamp)
  ) {
    self.name = name
    self.code = code
    self.words = words
    self.make = make
  }

  /// Of a launch of the program page.
  init(
    _ name: String, _ code: Finding.Code, _ words: String...,
    edit: @escaping @Sendable (Pasted) -> Pasted
  ) {
    self.name = name
    self.code = code
    self.words = words
    make = { (edit(try .program()).json, try Office(), issueTime) }
  }

  /// Of a URL alone: what follows the host.
  init(_ name: String, _ code: Finding.Code, _ words: String..., url: String) {
    self.name = name
    self.code = code
    self.words = words
    make = { ("https://cashback-ui.moment.fairytech.ai\(url)", try Office(), issueTime) }
  }

  static let all =
    urls + headers + signatures + alterations + times + used + secrets
    + untold + right

  static let urls: [BrokenLaunch] = [
    BrokenLaunch(
      "encoded twice", .doubleEncoded, "2 times", "%2Fcashback%2Fdetail%3Fbusiness_id%3D11st",
      url: "/main?redirect_to=%252Fcashback%252Fdetail%253Fbusiness_id%253D11st"),
    BrokenLaunch(
      "encoded three times", .doubleEncoded, "3 times", "be: %2Fcs",
      url: "/main?redirect_to=%25252Fcs"),
    BrokenLaunch(
      "its value encoded twice", .doubleEncoded, "A part", "%3Fbusiness_id%3D11st",
      url: "/main?redirect_to=%2Fcashback%2Fdetail%253Fbusiness_id%253D11st"),
    BrokenLaunch(
      "not encoded", .notEncoded, "%2Fcashback%2Fdetail%3Fbusiness_id%3D11st%26x%3D…",
      url: "/main?redirect_to=/cashback/detail?business_id=11st&x=1"),
    BrokenLaunch(
      "raw Hangul", .notEncoded, "%2Fcashback%3Fcategory%3D%EB%B7%B0%ED%8B%B0",
      url: "/main?redirect_to=/cashback?category=뷰티"),
    BrokenLaunch(
      "encoded as a whole URL is", .notEncoded, "%2Fcashback%3Fcategory%3D%EB%B7%B0%ED%8B%B0",
      url: "/main?redirect_to=/cashback?category=%EB%B7%B0%ED%8B%B0"),
    BrokenLaunch(
      "a plus for a space", .plusForSpace, "%2Fcs%3Fq%3D…",
      url: "/main?redirect_to=%2Fcs%3Fq%3Da+b"),
    BrokenLaunch("small hexadecimal digits", .otherEncoding, "be: %2Fcs") {
      ("https://cashback-ui.moment.fairytech.ai/main?redirect_to=%2fcs", try Office(), issueTime)
    },
    BrokenLaunch(
      "EUC-KR", .otherEncoding, "EUC-KR",
      url: "/main?redirect_to=%2Fcashback%3Fcategory%3D%BA%E4%C6%BC"),
    BrokenLaunch(
      "a whole URL inside", .invalidRedirect, "one slash",
      url: "/main?redirect_to=https%3A%2F%2Fevil.example%2F"),
    BrokenLaunch(
      "an unknown page", .unknownPage, "/setings", "/settings",
      url: "/main?redirect_to=%2Fsetings"),
    BrokenLaunch(
      "an unknown business", .unknownBusiness, "‘copang’", "coupang",
      url: "/main?redirect_to=%2Fcashback%2Fdetail%3Fbusiness_id%3Dcopang"),
    BrokenLaunch(
      "an inactive business", .inactiveBusiness, "closedmall",
      url: "/main?redirect_to=%2Fcashback%2Fdetail%3Fbusiness_id%3Dclosedmall"),
    BrokenLaunch(
      "a category's key", .categoryKey, "‘beauty’", "뷰티",
      url: "/main?redirect_to=%2Fcashback%3Fcategory%3Dbeauty"),
    BrokenLaunch(
      "an unknown category", .unknownCategory, "no category ‘beautyy’", "뷰티",
      url: "/main?redirect_to=%2Fcashback%3Fcategory%3Dbeautyy"),
    BrokenLaunch(
      "a category in NFD", .unknownCategory, "NFD",
      url: "/main?redirect_to=%2Fcashback%3Fcategory%3D"
        + "%E1%84%87%E1%85%B2%E1%84%90%E1%85%B5"),
    BrokenLaunch(
      "no business", .missingParameter, "business_id",
      url: "/main?redirect_to=%2Fcashback%2Fdetail"),
    BrokenLaunch(
      "a business twice", .duplicateParameter, "business_id",
      url: "/main?redirect_to=%2Fcashback%2Fdetail%3Fbusiness_id%3D11st%26business_id%3D11st"),
    BrokenLaunch(
      "a misspelt redirect_to", .missingRedirect, "redirectTo",
      url: "/main?redirectTo=%2Fcs"),
    BrokenLaunch(
      "redirect_to twice", .doubledRedirect, url: "/main?redirect_to=%2Fcs&redirect_to=%2Fcs"),
    BrokenLaunch(
      "a parameter beside", .misplacedParameter, "utm_source",
      url: "/main?redirect_to=%2Fcs&utm_source=app"),
    BrokenLaunch("another path", .wrongPath, "/main/", url: "/main/?redirect_to=%2Fcs"),
    BrokenLaunch("http", .wrongScheme, "http://") {
      ("http://cashback-ui.moment.fairytech.ai/main?redirect_to=%2Fcs", try Office(), issueTime)
    },
    BrokenLaunch("a look-alike host", .wrongHost, "impostor") {
      (
        "https://cashback-ui.moment.fairytech.ai.evil.example/main?redirect_to=%2Fcs", try Office(),
        issueTime
      )
    },
    BrokenLaunch("another host", .wrongHost, "shop.example is not") {
      ("https://shop.example/main?redirect_to=%2Fcs", try Office(), issueTime)
    },
    BrokenLaunch("canary for production", .wrongUpstream, "canary", "production") { paste in
      paste.withURL { $0.replacing("https://", with: "https://canary-") }
    },
  ]

  static let headers: [BrokenLaunch] = [
    BrokenLaunch("no platform", .missingHeader, "x-moment-platform") {
      $0.without("x-moment-platform")
    },
    BrokenLaunch("no signature", .missingHeader, "signature is missing") {
      $0.without("signature")
    },
    BrokenLaunch("a misspelt name", .missingHeader, "x-moment-user-id", "x-moment-userid") {
      var paste = $0.without("x-moment-user-id")
      paste.headers.append(("x-moment-userid", "USER-123"))
      return paste
    },
    BrokenLaunch("an empty header", .missingHeader, "x-moment-user-id is empty") {
      $0.with("x-moment-user-id") { _ in "" }
    },
    BrokenLaunch("a curl command without headers", .missingHeader, "x-moment-project-id") {
      ("curl \(try Pasted.program().url)", try Office(), issueTime)
    },
    BrokenLaunch("a header twice", .doubledHeader, "x-moment-platform", "different values") {
      var paste = try Pasted.program()
      paste.headers.append(("X-Moment-Platform", "ANDROID"))
      return (paste.curl, try Office(), issueTime)
    },
    BrokenLaunch("POST", .wrongMethod, "POST") {
      var paste = $0
      paste.method = "POST"
      return paste
    },
    BrokenLaunch("only the headers", .missingURL, "no URL") {
      var paste = try Pasted.program()
      paste.url = ""
      return (paste.lines, try Office(), issueTime)
    },
    BrokenLaunch("only the URL", .headersNotGiven) {
      (try Pasted.program().url, try Office(), issueTime)
    },
    BrokenLaunch("two URLs", .severalLaunches) {
      (try Pasted.program().url + " " + (try Pasted.to("/cs").url), try Office(), issueTime)
    },
    BrokenLaunch("the call of LaunchLink", .notALaunch, "POST /launch") {
      (
        #"curl http://127.0.0.1:8080/launch -d '{"user_id":"u","platform":"IOS"}'"#, try Office(),
        issueTime
      )
    },
    BrokenLaunch("curly quotation marks", .repairedPaste, "curly") {
      let curl = try Pasted.to("/cs").curl.replacing("curl '", with: "curl ‘")
      return (curl, try Office(), issueTime)
    },
  ]

  static let signatures: [BrokenLaunch] = [
    BrokenLaunch("a signature cut off", .malformedSignature, "colon") {
      $0.with("signature") { String($0.dropLast(9)) }
    },
    BrokenLaunch("a signature without its =", .malformedSignature, "43") {
      $0.with("signature") { $0.replacing("=:", with: ":") }
    },
    BrokenLaunch("dots in a signature", .masked, "shortened", "checked: signature") {
      $0.with("signature") { _ in "launch=:abc…:" }
    },
    BrokenLaunch("a signature in base64url", .malformedSignature, "base64url") {
      $0.with("signature") { _ in "launch=:-_\(String(repeating: "A", count: 41))=:" }
    },
    BrokenLaunch("a signature with a blank", .malformedSignature, "space") {
      $0.with("signature") { _ in "launch=:A \(String(repeating: "A", count: 41))=:" }
    },
    BrokenLaunch("a signature that was encoded", .malformedSignature, "percent-encoded") {
      $0.with("signature") { $0.replacing("=:", with: "%3D:") }
    },
    BrokenLaunch("a label of its own", .malformedSignature, "label") {
      $0.with("signature") { $0.replacing("launch=", with: "other=") }
    },
    BrokenLaunch("no quotation marks", .malformedSignature, "lost its quotation marks") {
      $0.with("signature-input") { $0.replacing("\"", with: "") }
    },
    BrokenLaunch("backslashes", .malformedSignature, "backslashes") {
      $0.with("signature-input") { $0.replacing("\"", with: "\\\"") }
    },
    BrokenLaunch("signature-input cut off", .malformedSignature, "cut off") {
      $0.with("signature-input") { String($0.prefix(60)) }
    },
    BrokenLaunch("milliseconds", .malformedSignature, "milliseconds") {
      $0.with("signature-input") { $0.replacing("1764460800", with: "1764460800000") }
    },
    BrokenLaunch("another nonce", .malformedSignature, "nonce") {
      $0.with("signature-input") { $0.replacing("-7", with: "-4") }
    },
    BrokenLaunch("another tag", .wrongTag, "moment-launch") {
      $0.with("signature-input") { $0.replacing("moment-launch", with: "other") }
    },
    BrokenLaunch("another algorithm", .wrongAlgorithm, "hmac-sha512") {
      $0.with("signature-input") { $0.replacing("sha256", with: "sha512") }
    },
    BrokenLaunch("a component less", .missingComponent, "@query") {
      $0.with("signature-input") { $0.replacing(" \"@query\"", with: "") }
    },
    BrokenLaunch("no time of expiry", .missingComponent, "expires") {
      $0.with("signature-input") { $0.replacing(";expires=1764461100", with: "") }
    },
    BrokenLaunch("an unknown project", .unknownProject, "not known") {
      $0.with("x-moment-project-id") { _ in "6540c6dfd94458b60d8e7aca" }
    },
    BrokenLaunch("a project that is none", .unknownProject, "24 lower-case") {
      $0.with("x-moment-project-id") { $0.uppercased() }
    },
    BrokenLaunch("a disabled project", .disabledProject, "Acme", "2025-11-30 09:00:00 Korean time")
    {
      var office = try Office()
      office.projects[0].disabledAt = issueTime
      return (try Pasted.program().json, office, issueTime)
    },
    BrokenLaunch("a revoked key", .revokedKey, "sk_000000000001", "2025-11-30 09:00:00 Korean time")
    {
      var office = try Office()
      office.keys = [try Office.key(.revoked, at: issueTime)]
      return (try Pasted.program().json, office, issueTime)
    },
    BrokenLaunch("a key retired long ago", .retiredKey, "sk_000000000001", "10:00:00 Korean time") {
      var office = try Office()
      office.keys = [try Office.key(.retired, at: issueTime)]
      return (try Pasted.program().json, office, issueTime.adding(seconds: 3600))
    },
    BrokenLaunch("a pending key", .pendingKey, "not active yet") {
      var office = try Office()
      office.keys = [try Office.key(.pending)]
      return (try Pasted.program().json, office, issueTime)
    },
    BrokenLaunch("an unknown key", .unknownKey, "sk_000000000001", "another installation") {
      var office = try Office()
      office.keys = []
      return (try Pasted.program().json, office, issueTime)
    },
    BrokenLaunch("another user", .signatureMismatch, "could not be told") {
      $0.with("x-moment-user-id") { _ in "USER-124" }
    },
  ]
}
