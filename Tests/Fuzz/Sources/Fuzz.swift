import Glibc

/// What libFuzzer tries: one kind of input from outside, and what has to hold of every one.
protocol FuzzTarget: SendableMetatype {
  /// Prepares what all inputs share.
  init() throws

  /// Tries one input; ends the process where a property does not hold.
  func run(_ input: [UInt8]) throws
}

/// The targets by the name that `FUZZ_TARGET` takes.
private let targets: [(name: String, type: any FuzzTarget.Type)] = [
  ("api-key", APIKeyTarget.self),
  ("catalog-csv", CatalogCSVTarget.self),
  ("catalog-json", CatalogJSONTarget.self),
  ("cookie", CookieTarget.self),
  ("explain", ExplainTarget.self),
  ("forwarded", ForwardedTarget.self),
  ("head", HeadTarget.self),
  ("json", JSONTarget.self),
  ("launch", LaunchTarget.self),
  ("query", QueryTarget.self),
  ("redirect", RedirectTarget.self),
  ("request", RequestTarget.self),
  ("setting", SettingTarget.self),
  ("signature", SignatureTarget.self),
  ("structured-field", StructuredFieldTarget.self),
  ("timestamp", TimestampTarget.self),
  ("verification", VerificationTarget.self),
  ("yaml", YAMLTarget.self),
]

// libFuzzer calls from one thread only.
nonisolated(unsafe) private let target = chosenTarget()

private func chosenTarget() -> any FuzzTarget {
  let name = getenv("FUZZ_TARGET").map { String(cString: $0) }
  guard let type = targets.first(where: { $0.name == name })?.type else {
    print("Set FUZZ_TARGET to one of: " + targets.map(\.name).joined(separator: " "))
    exit(EX_USAGE)
  }
  return orEnd { try type.init() }
}

/// Where libFuzzer hands over its inputs.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzerTestOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  orEnd { try target.run(input) }
  return 0
}

/// Ends the process where a property does not hold; libFuzzer then keeps the input.
func require(_ holds: Bool, _ property: @autoclosure () -> String) {
  if !holds { fatalError(property()) }
}

/// The value, which there has to be.
func need<Value>(_ value: Value?, _ property: @autoclosure () -> String) -> Value {
  guard let value else { fatalError(property()) }
  return value
}

/// What `work` gives; nothing that a target does not expect may be thrown.
private func orEnd<Result>(_ work: () throws -> Result) -> Result {
  do { return try work() } catch { fatalError("not expected: \(error)") }
}
