import Domain
import Encoding
import Testing

@Suite("Problem codes") struct ProblemCodeTests {
  @Test(
    "a field's fault has one name everywhere and is answered with 422",
    arguments: FieldFault.Code.allCases)
  func faults(code: FieldFault.Code) {
    let problem = ProblemCode(code)
    #expect(problem.rawValue == code.rawValue && problem.status == 422)
  }

  @Test("titles are the codes in words")
  func titles() {
    #expect(ProblemCode.invalidJSON.title == "Invalid JSON")
    #expect(ProblemCode.missingAPIKey.title == "Missing API key")
    #expect(ProblemCode.rateLimited.title == "Rate limited")
    #expect(Set(ProblemCode.allCases.map(\.title)).count == ProblemCode.allCases.count)
  }
}
