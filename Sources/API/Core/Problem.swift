internal import Domain
public import Encoding
internal import HTTPServer
internal import JSON

/// A problem of RFC 9457 that answers a request, in words that the caller may see.
public struct Problem: Error {
  /// One fault of the body, with a JSON Pointer (RFC 6901) into it.
  struct Entry {
    let pointer: String
    let fault: FieldFault
  }

  /// What is wrong.
  public let code: ProblemCode
  let detail: String
  var entries: [Entry] = []
  /// Further headers of the answer.
  public var headers: [(name: String, value: String)] = []

  init(_ code: ProblemCode, _ detail: String) {
    self.code = code
    self.detail = detail
    switch code.status {
    case 401: headers = [("WWW-Authenticate", "Bearer")]
    case 503: headers = [("Retry-After", "1")]
    default: break
    }
  }

  /// Reports the faults of a body, with the code of the first.
  ///
  /// - Parameters:
  ///   - faults: what is wrong.
  ///   - parent: the pointer to the object that the fields belong to.
  init(_ faults: FieldFaults, under parent: String = "") {
    code = faults.all.first.map { ProblemCode($0.code) } ?? .invalidField
    detail =
      faults.all.count == 1
      ? faults.all[0].detail
      : "The request has \(faults.all.count) faults; errors names each."
    entries = faults.all.map { fault in
      Entry(pointer: parent + Self.pointer(to: fault.field), fault: fault)
    }
  }

  /// Reports that the value at `pointer` is not a JSON object.
  init(noObjectAt pointer: String, _ detail: String) {
    self.init(.invalidField, detail)
    entries = [Entry(pointer: pointer, fault: FieldFault("", .invalidField, detail))]
  }

  /// The problem as a body, or as an item of a batch's answer.
  func json(requestID: String) -> JSON {
    var members: [JSON.Member] = [
      JSON.Member(name: "type", value: .string("/problems/\(code.rawValue)")),
      JSON.Member(name: "title", value: .string(code.title)),
      JSON.Member(name: "status", value: .integer(Int64(code.status))),
      JSON.Member(name: "detail", value: .string(detail)),
      JSON.Member(name: "code", value: .string(code.rawValue)),
      JSON.Member(name: "request_id", value: .string(requestID)),
    ]
    if !entries.isEmpty {
      members.append(JSON.Member(name: "errors", value: .array(entries.map(\.json))))
    }
    return .object(members)
  }

  func response(requestID: String) -> Response {
    Response(
      status: code.status,
      headers: [("Content-Type", "application/problem+json"), ("Cache-Control", "no-store")]
        + headers,
      body: json(requestID: requestID).encoded())
  }

  /// The pointer to a member, whose name may be empty.
  private static func pointer(to field: String) -> String {
    "/" + field.replacing("~", with: "~0").replacing("/", with: "~1")
  }
}

extension Problem.Entry {
  fileprivate var json: JSON {
    var members: [JSON.Member] = [
      JSON.Member(name: "pointer", value: .string(pointer)),
      JSON.Member(name: "code", value: .string(fault.code.rawValue)),
      JSON.Member(name: "detail", value: .string(fault.detail)),
    ]
    if !fault.suggestions.isEmpty {
      members.append(
        JSON.Member(name: "suggestions", value: .array(fault.suggestions.map(JSON.string))))
    }
    return .object(members)
  }
}
