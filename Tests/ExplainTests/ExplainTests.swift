import Domain
import DomainFixtures
import Encoding
import Explain
import Testing

@Suite("Explaining") struct ExplainTests {
  @Test("each broken launch is explained right", arguments: BrokenLaunch.all)
  func brokenLaunch(_ launch: BrokenLaunch) throws {
    let (text, office, now) = try launch.make()
    let explanation = try explain(text, office, at: now)
    let finding = try explanation.finding(launch.code)
    if finding.severity == .problem {
      #expect(explanation.findings.first?.severity == .problem)
    }
    let english = explanation.findings.filter { $0.code == launch.code }
      .map { $0.text(in: .english) + " " + ($0.advice(in: .english) ?? "") }.joined(separator: " ")
    for word in launch.words { #expect(english.contains(word), "\(word)") }
  }

  @Test("what stops a launch stands first", arguments: BrokenLaunch.all)
  func order(_ launch: BrokenLaunch) throws {
    let (text, office, now) = try launch.make()
    let severities = try explain(text, office, at: now).findings.map(\.severity)
    let ranks = severities.compactMap { Finding.Severity.allCases.firstIndex(of: $0) }
    #expect(ranks == ranks.sorted())
  }

  @Test("every kind of finding occurs, with text and advice in both languages")
  func languages() throws {
    var unseen = Set(Finding.Code.allCases)
    for launch in BrokenLaunch.all {
      let (text, office, now) = try launch.make()
      for finding in try explain(text, office, at: now).findings {
        unseen.remove(finding.code)
        let (korean, english) = (finding.text(in: .korean), finding.text(in: .english))
        #expect(!english.isEmpty && english != korean)
        #expect(korean.unicodeScalars.contains { (0xAC00...0xD7A3).contains($0.value) })
        #expect((finding.advice(in: .korean) == nil) == (finding.advice(in: .english) == nil))
        #expect(
          finding.advice(in: .korean) != finding.advice(in: .english)
            || finding.advice(in: .korean) == nil)
        if finding.severity == .problem, finding.code != .notALaunch {
          #expect(finding.advice(in: .korean) != nil, "\(finding.code)")
        }
      }
    }
    #expect(unseen.isEmpty)
  }

  @Test("a launch as it was issued works, in every delivery")
  func asIssued() throws {
    for delivery in KeyDelivery.allCases {
      for redirect in [
        "/cashback/detail?business_id=11st", "/cashback?category=뷰티", "/cs?q=a+b", nil,
      ] {
        let explanation = try explain(
          Pasted.to(redirect, delivery).json, Office(delivery: delivery))
        #expect(explanation.outcome == .works, "\(explanation.problems)")
        #expect(explanation.parts.redirectTo == redirect?.replacing("a+b", with: "…"))
      }
    }
  }

  @Test("what was understood is told")
  func parts() throws {
    let parts = try explain(Pasted.program().curl).parts
    #expect(parts.page == "program" && parts.businessID == "11st" && parts.category == nil)
    #expect(parts.projectID == projectID && parts.projectName == "Acme")
    #expect(parts.platform == "IOS" && parts.issuedAt == issueTime)
    #expect(parts.expiresAt == issueTime.adding(seconds: 300))
    #expect(parts.signingKeyID == "sk_000000000001" && parts.launchID?.count == 36)
    #expect(try explain(Pasted.to("/cashback?category=뷰티").url).parts.category == "뷰티")
  }

  @Test(
    "another project's id in place of the right one is named, and that project is not called right")
  func anotherProject() throws {
    let other = "0badc0de0badc0de0badc0de"
    var office = try Office()
    office.projects.append(try makeProject(other))
    let explanation = try explain(
      Pasted.program().with("x-moment-project-id") { _ in other }.json, office)
    #expect(explanation.problems == [.alteredPart])
    let text = try explanation.finding(.alteredPart).text(in: .english)
    #expect(text.contains("for the project \(projectID)") && text.contains("‘\(other)’"), "\(text)")
    #expect(!explanation.findings.contains { $0.code == .rightProject })
    #expect(!explanation.findings.contains { $0.code == .wrongUpstream })
  }

  @Test("a leak is not passed over in the verdict, though it does not stop the launch")
  func verdict() throws {
    let good = try Pasted.program().json
    let leaking = try explain(good + " llk_0123456789abcdef")
    #expect(leaking.outcome == .works && leaking.hasLeak)
    #expect(leaking.verdict[.english].contains("leaked"))
    #expect(leaking.verdict[.korean].contains("노출"))
    #expect(try !explain(good).hasLeak)
    #expect(try explain(good).verdict != leaking.verdict)
  }

  @Test("a business in capitals is found in small letters")
  func capitals() throws {
    let url = "https://cashback-ui.moment.fairytech.ai/main?redirect_to="
    let page = "%2Fcashback%2Fdetail%3Fbusiness_id%3D"
    for (typed, meant) in [("11ST", "11st"), ("Copang", "coupang")] {
      let finding = try explain(url + page + typed).finding(.unknownBusiness)
      #expect(finding.text(in: .english).contains("Perhaps \(meant)"))
    }
  }

  @Test("an escape that is broken is called so, and not another spelling of the same page")
  func brokenEscape() throws {
    for path in ["%2Fcs%ZZ", "%2Fcs%", "%2Fcs%2"] {
      let explanation = try explain(
        "https://cashback-ui.moment.fairytech.ai/main?redirect_to=\(path)")
      let text = try explanation.finding(.otherEncoding).text(in: .english)
      #expect(text.contains("without two") && !explanation.everything.contains("same page"))
    }
  }

  @Test("times are told by one clock for each language, with its name")
  func clocks() throws {
    let finding = try explain(Pasted.program().json).finding(.inTime)
    #expect(finding.text(in: .korean).contains("한국 시간 2025-11-30 09:05:00"))
    #expect(finding.text(in: .english).contains("at 2025-11-30 09:05:00 Korean time"))
  }

  @Test("two changes at once are both told")
  func twoChanges() throws {
    let paste = try Pasted.program().with("x-moment-platform") { _ in "ANDROID" }
      .withURL { $0.replacing("%2F", with: "%2f") }
    let explanation = try explain(paste.json)
    let texts = explanation.findings.filter { $0.code == .alteredPart }
      .map { $0.text(in: .english) }
    #expect(texts.count == 2)
    #expect(texts.contains { $0.contains("query") } && texts.contains { $0.contains("platform") })
  }

  @Test("an explanation agrees with the verifier on launches with one byte changed")
  func agreement() throws {
    let good = try Pasted.program()
    let verifier = try BundleVerifier(site: makeSite())
    for (name, value) in good.headers {
      for offset in stride(from: 0, to: value.count, by: 7) {
        let changed = good.with(name) { value in
          let index = value.index(value.startIndex, offsetBy: offset)
          return value[..<index] + (value[index] == "0" ? "1" : "0")
            + value[value.index(after: index)...]
        }
        let request = try #require(
          SignedRequest(method: "GET", url: changed.url, headers: changed.headers))
        let verdict = try verifier.verify(request, directory: Office(), at: issueTime)
        guard case .invalid(let code, _) = verdict else {
          Issue.record("\(name) at \(offset) counts for nothing")
          continue
        }
        #expect(try explain(changed.json).outcome == .fails, "\(name) at \(offset): \(code)")
      }
    }
  }
}
