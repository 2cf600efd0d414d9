import Domain
import DomainFixtures
import Encoding
import Explain
import JSON
import Testing

/// Whatever form a launch is pasted in, it is read to the letter: its signature still fits.
@Suite("Reading what was pasted") struct ExplainPasteTests {
  private func expectWorks(_ text: String, _ location: SourceLocation = #_sourceLocation) throws {
    let explanation = try explain(text)
    #expect(
      explanation.findings.contains { $0.code == .rightSignature },
      "\(explanation.problems) \(text.prefix(1000).debugDescription)",
      sourceLocation: location)
  }

  private func paste() throws -> Pasted { try .to("/cashback?category=뷰티") }

  @Test("JSON: a body, an answer, an answer among other text, escaped in a log, as in a HAR file")
  func json() throws {
    let launch = try issue(delivery: .gateway) { $0.redirectTo = "/cs" }
    let answer = String(decoding: launch.json.encoded(pretty: true), as: UTF8.self)
    try expectWorks(answer)
    try expectWorks("\u{FEFF}  이 응답인데 안 됩니다 {왜일까요}\n\(answer)\n확인 부탁드립니다 {}")
    try expectWorks("$ curl http://127.0.0.1:8080/launch -d '{\"user_id\":\"u\"}'\n\(answer)")
    let line = String(decoding: launch.json.encoded(), as: UTF8.self)
    try expectWorks(
      "2026-11-29 INFO body=\"\(line.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    )
    try expectWorks("{\"items\":[\(line)]}")
    let list = launch.headers.map { name, value in
      "{\"name\":\"\(name)\",\"value\":\"\(value.replacing("\"", with: "\\\""))\"}"
    }.joined(separator: ",")
    try expectWorks("{\"method\":\"GET\",\"url\":\"\(launch.url)\",\"headers\":[\(list)]}")
    try expectWorks(answer.replacing("\"", with: "”").replacing("\\”", with: "\\\""))
  }

  @Test(
    "headers as a list: Postman's, a HAR file's, pairs, lines, names and values in turn, nested")
  func lists() throws {
    let paste = try paste()
    let text = { (text: String) in String(decoding: JSON.string(text).encoded(), as: UTF8.self) }
    let forms: [(String, String) -> String] = [
      { "{\"key\":\(text($0)),\"value\":\(text($1)),\"type\":\"text\"}" },
      { "{\"name\":\(text($0)),\"value\":\(text($1))}" }, { "[\(text($0)),\(text($1))]" },
      { text("\($0): \($1)") }, { "\(text($0)),\(text($1))" },
    ]
    for form in forms {
      let list = "[\(paste.headers.map { form($0.name, $0.value) }.joined(separator: ",\n "))]"
      let whole = "{\"url\":\(text(paste.url)),\"method\":\"GET\",\"headers\":\(list)}"
      try expectWorks("\(paste.url)\n\(list)")
      try expectWorks("[확인] \(list)\n\(paste.url) 입니다")
      try expectWorks(whole)
      try expectWorks("[\(whole)]")
      try expectWorks("{\"log\":{\"entries\":[{\"time\":1,\"request\":\(whole),\"response\":{}}]}}")
      let raw = "{\"raw\":\(text(paste.url)),\"host\":[\"x\"]}"
      try expectWorks("{\"item\":[{\"request\":{\"header\":\(list),\"url\":\(raw)}}]}")
    }
    let off = "{\"key\":\"x-moment-platform\",\"value\":\"ANDROID\",\"disabled\":true}"
    let list = paste.headers.map { forms[0]($0.name, $0.value) } + [off]
    try expectWorks("\(paste.url)\n[\(list.joined(separator: ","))]")
  }

  @Test("headers as an object of their own, the URL before, after or in angle brackets")
  func headersAlone() throws {
    let paste = try paste()
    let object =
      paste.json.split(separator: "\"headers\":").last.map { String($0.dropLast()) } ?? ""
    try expectWorks(paste.url + "\n" + object)
    try expectWorks(object + "\n<\(paste.url)>")
    try expectWorks(object + "로 \(paste.url)로 열었습니다.")
    try expectWorks(object + " (\(paste.url)).")
  }

  @Test("lines: plain, as options, quoted, in lists, as pairs, wide names, a shell's prompt")
  func lines() throws {
    let paste = try paste()
    try expectWorks(paste.lines)
    try expectWorks(paste.lines.replacing("\n", with: "\r\n"))
    try expectWorks("\u{200B}" + paste.lines.replacing(": ", with: "\u{00A0}:\u{3000}"))
    let each: [(String, String) -> String] = [
      { "-H '\($0): \($1)'" }, { "> \($0): \($1)" }, { "* \($0.uppercased()) = \($1)" },
      { "\"\($0)\": \"\($1.replacing("\"", with: "\\\""))\"," }, { "'\($0)' => '\($1)'," },
      { "\($0):\n\($1)" }, { "\($0)\n\($1)" }, { "\($0)\t:\t\($1)   " },
      { "헤더 \($0): \($1)" },
    ]
    for form in each {
      let lines = paste.headers.map { form($0.name, $0.value) }.joined(separator: "\n")
      try expectWorks("URL: \(paste.url)\n\(lines)")
    }
  }

  @Test("a request as a proxy or a browser's developer tools show it")
  func requestLine() throws {
    let paste = try paste()
    let path = paste.url.replacing("https://cashback-ui.moment.fairytech.ai", with: "")
    let headers = paste.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    try expectWorks("GET \(path) HTTP/1.1\nHost: cashback-ui.moment.fairytech.ai\n\(headers)\n\n")
    try expectWorks(
      ":authority: cashback-ui.moment.fairytech.ai\n:method: GET\n:path: \(path)\n:scheme: https\n"
        + headers)
    let posted = try explain(
      "POST \(path) HTTP/1.1\nHost: cashback-ui.moment.fairytech.ai\n\(headers)")
    #expect(posted.problems.first == .wrongMethod)
  }

  @Test("curl: every way of quoting and spelling options")
  func curl() throws {
    let paste = try paste()
    try expectWorks(paste.curl)
    try expectWorks("안녕하세요, 이 명령이 실패합니다.\n```\n$ \(paste.curl)\n```\n도와주세요")
    let options: [(String) -> String] = [
      { "-H \"\($0.replacing("\"", with: "\\\""))\"" },
      { "-H $'\($0.replacing("-", with: "\\u002d").replacing("=", with: "\\x3d"))'" },
      { "-H $'\($0.replacing("=", with: "\\075"))'" }, { "--header='\($0)'" },
      { "-H'\($0)'" }, { "-sSH '\($0)'" }, { "\u{2013}H '\($0)'" }, { "\u{2014}header '\($0)'" },
    ]
    for option in options {
      let words = paste.headers.map { option("\($0.name): \($0.value)") }
      for joint in [" ", " \\\n", " \\\r\n  ", "\n"] {
        let command = "curl -X GET --compressed -o /dev/null \(words.joined(separator: joint))"
        try expectWorks("\(command)\(joint)--url '\(paste.url)' -m 5; echo done")
      }
    }
    try expectWorks(words(paste, "'", "'").joined(separator: " \\\n") + " \(paste.url)")
  }

  private func words(_ paste: Pasted, _ open: String, _ close: String) -> [String] {
    paste.headers.map { "-H \(open)\($0.name): \($0.value)\(close)" }
  }

  @Test("curl with what chat programs and web pages make of it")
  func chat() throws {
    let paste = try paste()
    try expectWorks(paste.curl.replacing("'", with: "’"))
    try expectWorks(paste.curl.replacing("\"", with: "“").replacing("curl '", with: "curl ‘"))
    try expectWorks(
      paste.curl.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
        .replacing("'", with: "&#39;"))
  }

  /// As Chrome's developer tools write "copy as cURL (cmd)".
  @Test("curl for the Windows command processor")
  func windows() throws {
    let paste = try paste()
    func quoted(_ text: String) -> String {
      var output = "^\""
      let kept = Set("_-:=+~'/.,?;()*` ")
      for character in text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") {
        let isKept = character.isASCII && (character.isLetter || character.isNumber)
        output += isKept || kept.contains(character) ? String(character) : "^\(character)"
      }
      return output.replacing("%", with: "%^").replacing("^%^^", with: "^%^") + "^\""
    }
    let lines =
      ["curl \(quoted(paste.url))"]
      + paste.headers.map { "  -H \(quoted("\($0.name): \($0.value)"))" }
    try expectWorks(lines.joined(separator: " ^\n"))
    try expectWorks(lines.joined(separator: " ^\r\n"))
    let older =
      ["curl \"\(paste.url)\""]
      + paste.headers.map { "-H \"\($0.name): \($0.value.replacing("\"", with: "\\\""))\"" }
    try expectWorks(older.joined(separator: " ^\n  "))
  }

  @Test("curl -G and --url-query put data into the query, encoded as curl does")
  func query() throws {
    let paste = try Pasted.to("/cs")
    let base = "https://cashback-ui.moment.fairytech.ai/main"
    let headers = words(paste, "'", "'").joined(separator: " ")
    for options in [
      "-G '\(base)' --data-urlencode 'redirect_to=/cs'",
      "'\(base)?' --get --data-urlencode redirect_to=/cs",
      "-sG '\(base)' -d redirect_to=%2Fcs", "'\(base)' --url-query redirect_to=/cs",
      "'\(base)' --url-query +redirect_to=%2Fcs",
    ] {
      try expectWorks("curl \(options) \(headers)")
      #expect(
        try !explain("curl \(options) \(headers)").findings.contains { $0.code == .severalLaunches }
      )
    }
    let two = try explain("curl -G '\(base)' --data-urlencode 'redirect_to=/cs?q=a b' -d 'utm=1'")
    #expect(two.problems.contains(.plusForSpace))
    #expect(
      two.findings.contains { $0.code == .misplacedParameter }
        && !two.problems.contains(.wrongMethod))
    #expect(
      try explain("curl '\(base)' -d 'redirect_to=/cs' \(headers)").problems.contains(.wrongMethod))
  }

  @Test("of several launches the first is judged, and that is said; a call before it is none")
  func several() throws {
    let (one, other) = (try paste(), try Pasted.to("/cs"))
    for (text, separator) in [(one.curl, "\n\n"), (one.curl, " && "), (one.json, "\n")] {
      let next = text == one.json ? other.json : other.curl
      let both = try explain(text + separator + next)
      #expect(both.outcome == .works && both.parts.category == "뷰티")
      #expect(both.verdict[.english].contains("others were not looked at"))
      let broken = other.with("x-moment-platform") { _ in "ANDROID" }
      let failing = try explain((text == one.json ? broken.json : broken.curl) + separator + text)
      #expect(
        failing.outcome == .fails && failing.findings.contains { $0.code == .severalLaunches })
      #expect(
        try !explain(text + separator + text.replacing("\n", with: " ")).verdict[.english].isEmpty)
    }
    try expectWorks("curl http://127.0.0.1:8080/launch -d '{\"user_id\":\"u\"}'\n" + one.curl)
    let called = try explain("curl http://127.0.0.1:8080/launch -d '{}'\n" + one.curl)
    #expect(!called.findings.contains { $0.code == .severalLaunches })
  }

  @Test("a line of its own behind a URL is no part of it")
  func lineBehindURL() throws {
    let url = "https://cashback-ui.moment.fairytech.ai/main?redirect_to=%2Fcs"
    for line in [
      "platform=IOS", "platform: IOS", "user_id=7%20", "=====", "x-moment-platform=IOS", "a.b=c",
    ] {
      let explanation = try explain("\(url)\n\(line)")
      #expect(explanation.parts.url == url && explanation.parts.page == "cs", "\(line)")
    }
    let start = "https://cashback-ui.moment.fairytech.ai/main?"
    #expect(try explain("\(start)\nredirect_to=%2Fcs").parts.page == "cs")
    #expect(try explain("\(start)x=1&\nredirect_to=%2Fcs").parts.page == "cs")
    #expect(try explain("\(start)redirect_to=\n%2Fcs").parts.page == "cs")
  }

  /// As Chrome's developer tools write "copy as PowerShell".
  @Test("PowerShell, as browsers copy it and as people write it")
  func powerShell() throws {
    let paste = try paste()
    let headers = paste.headers.map { name, value in
      "\"\(name)\"=\"\(value.replacing("\"", with: "`\""))\""
    }
    let copied = """
      $session = New-Object Microsoft.PowerShell.Commands.WebRequestSession
      $session.UserAgent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"
      Invoke-WebRequest -UseBasicParsing -Uri "\(paste.url)" `
      -WebSession $session `
      -Headers @{
      "authority"="cashback-ui.moment.fairytech.ai"
        "method"="GET"
        \(headers.joined(separator: "\n  "))
      }
      """
    try expectWorks(copied)
    try expectWorks(copied.replacing("\n", with: "\r\n"))
    #expect(try !explain(copied).findings.contains { $0.code == .repairedPaste })
    let single = paste.headers.map { "'\($0.name)' = '\($0.value)'" }
    try expectWorks("irm '\(paste.url)' -Headers @{ \(single.joined(separator: "; ")) }")
    let posted = copied.replacing("-UseBasicParsing", with: "-Method \"POST\"")
    #expect(try explain(posted).problems.contains(.wrongMethod))
    let lacking = headers.filter { !$0.contains("platform\"=") }.joined(separator: "\n")
    #expect(
      try explain("Invoke-WebRequest -Uri \"\(paste.url)\" -Headers @{\n\(lacking)\n}").problems
        .contains(.missingHeader))
  }

  @Test(
    "a call to LaunchLink is called so and nothing else is found wrong with it",
    arguments: [
      "curl -X POST https://launch.example/api/launch -H 'Authorization: Bearer x' -H 'x-moment-project-id: a'",
      "curl http://127.0.0.1:8080/launch/batch --json '{}'",
      "POST /launch HTTP/1.1\nHost: launch.example\nContent-Type: application/json\n\n{}",
      "Invoke-RestMethod -Method POST -Uri http://launch.example/launch -Headers @{ Authorization = 'x' }",
      "{\"user_id\": \"u\", \"platform\": \"IOS\", \"page\": \"cs\"}",
    ])
  func call(text: String) throws {
    let explanation = try explain(text)
    #expect(explanation.findings.map(\.code) == [.notALaunch] && explanation.outcome == .none)
    let finding = try explanation.finding(.notALaunch)
    #expect(finding.text(in: .english).contains("its answer is what to paste"))
    #expect(finding.text(in: .korean).contains("응답"))
  }

  @Test("a URL alone and headers alone cannot be told, unless what is there is wrong")
  func incomplete() throws {
    let paste = try paste()
    let headers = paste.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    let (url, alone) = (try explain(paste.url), try explain(headers))
    #expect(url.outcome == .undecided && alone.outcome == .undecided)
    #expect(url.verdict == alone.verdict && url.problems.isEmpty && alone.problems.isEmpty)
    #expect(try url.finding(.headersNotGiven).severity == alone.finding(.missingURL).severity)
    #expect(try explain(paste.url.replacing("%", with: "%25")).outcome == .fails)
    #expect(try explain(headers, at: issueTime.adding(seconds: 900)).outcome == .fails)
    #expect(try explain(paste.url + " llk_0123456789abcdef").verdict[.english].contains("leaked"))
  }

  @Test("one URL in a command for Windows is one, and two are two")
  func windowsURLs() throws {
    let paste = try paste()
    let url = paste.url.replacing("%", with: "^%^")
    let one = try explain("curl ^\"\(url)^\" ^\n -H ^\"x-moment-user-id: u^\"")
    #expect(!one.findings.contains { $0.code == .severalLaunches })
    let two = try explain("curl ^\"\(url)^\" ^\n ^\"\(url)%2F^\"")
    #expect(two.findings.contains { $0.code == .severalLaunches })
  }

  @Test("backslashes and wide spaces in header lines are read and told, and where they belong not")
  func repairs() throws {
    let paste = try paste()
    let escaped = paste.lines.replacing("\"", with: "\\\"")
    for (text, word) in [
      (escaped, "backslashes"), (paste.lines.replacing(": ", with: ":\u{3000}"), "U+3000"),
    ] {
      try expectWorks(text)
      let finding = try explain(text).finding(.repairedPaste)
      #expect(finding.severity == .warning && finding.text(in: .english).contains(word))
    }
    let quoted = paste.headers.map { name, value in
      "\(name): \"\(value.replacing("\"", with: "\\\""))\""
    }.joined(separator: "\n")
    for text in [paste.lines, paste.json, paste.curl, paste.url + "\n" + quoted] {
      #expect(try !explain(text).findings.contains { $0.code == .repairedPaste }, "\(text)")
    }
  }

  @Test("lines wrapped anywhere in the signature, in signature-input and in the URL")
  func wraps() throws {
    let paste = try paste()
    for name in ["signature", "signature-input"] {
      let value = paste.value(name)
      for offset in stride(from: 9, to: value.count - 2, by: 5) {
        let index = value.index(value.startIndex, offsetBy: offset)
        for joint in ["\n", "\r\n    "] {
          let wrapped = paste.with(name) { _ in value[..<index] + joint + value[index...] }
          try expectWorks(wrapped.lines + "\n감사합니다")
        }
      }
    }
    let wrapped = paste.url.replacing("%3D", with: "\n%3D")
    try expectWorks(paste.lines.replacing(paste.url, with: wrapped))
    try expectWorks(paste.lines.replacing(paste.url, with: "<\(wrapped)>"))
    try expectWorks(paste.json.replacing("; ", with: ";").replacing(":AA", with: ":\nAA"))
  }

  @Test("a deep link, and a URL without its scheme, are read too")
  func links() throws {
    let link = try explain("moment://cashback?redirect_to=%252Fcs")
    #expect(link.problems == [.doubleEncoded] && link.parts.page == "cs")
    let bare = try explain("링크: cashback-ui.moment.fairytech.ai/main?redirect_to=%2Fcs 입니다")
    #expect(bare.outcome == .undecided && bare.parts.page == "cs")
  }

  @Test(
    "what cannot be understood says what was expected",
    arguments: ["", " \n\t\u{FEFF}", "안녕하세요", "{}", "curl", "signature: 서명이 틀립니다", "{\"url\":5}"])
  func nothing(text: String) throws {
    let error = #expect(throws: NothingToExplain.self) { try explain(text) }
    for language in Language.allCases {
      #expect(try #require(error).text(in: language).contains("curl"))
    }
  }

  @Test("a text over 64 KiB is refused, one of 64 KiB is read")
  func length() throws {
    let lines = try paste().lines
    let filling = String(repeating: "x ", count: (Explainer.sizeLimit - lines.utf8.count) / 2 - 1)
    try expectWorks(lines + "\n" + filling)
    let error = #expect(throws: NothingToExplain.self) {
      try explain(lines + "\n" + filling + filling)
    }
    #expect(try #require(error).text(in: .english).contains("64 KiB"))
  }
}
