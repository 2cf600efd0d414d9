import JSON
import LaunchDomain
import Testing

/// Whatever form a launch is pasted in, it is read to the letter: its signature still fits.
@Suite("Reading what was pasted") struct ExplainPasteTests {
  private func expectWorks(_ text: String, _ location: SourceLocation = #_sourceLocation) throws {
    let explanation = try explain(text)
    #expect(
      explanation.findings.contains { $0.code == .rightSignature },
      "\(explanation.problems) \(text.debugDescription)",
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

  @Test("one URL in a command for Windows is one, and two are two")
  func windowsURLs() throws {
    let paste = try paste()
    let url = paste.url.replacing("%", with: "^%^")
    let one = try explain("curl ^\"\(url)^\" ^\n -H ^\"x-moment-user-id: u^\"")
    #expect(!one.findings.contains { $0.code == .severalURLs })
    let two = try explain("curl ^\"\(url)^\" ^\n ^\"\(url)%2F^\"")
    #expect(two.findings.contains { $0.code == .severalURLs })
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
    #expect(bare.works && bare.parts.page == "cs")
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
