import LaunchDomain
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
        #expect(explanation.works, "\(explanation.problems)")
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
    let verifier = try BundleVerifier(site: makeExplainSite())
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
        #expect(!(try explain(changed.json).works), "\(name) at \(offset): \(code)")
      }
    }
  }
}
