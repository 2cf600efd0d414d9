internal import Domain
internal import Encoding

/// Finds syntax errors of a signature.
enum MalformedSignature {
  /// The error; nil where none is found and `isFound` is false.
  static func reason(in pasted: PastedRequest, claims: Claims?, isFound: Bool) -> Wording? {
    let input = pasted.values(of: "signature-input").first ?? ""
    let signature = pasted.values(of: "signature").first ?? ""
    if let reason = claims == nil ? reason(inInput: input) : reason(inClaims: claims) {
      return reason
    }
    if let reason = reason(inSignature: signature) { return reason }
    return isFound
      ? Wording(
        korean: "signature-input 또는 signature 헤더의 문법이 RFC 9421과 맞지 않습니다.",
        english: "signature-input or signature does not follow RFC 9421.") : nil
  }

  private static func reason(inInput input: String) -> Wording {
    if isTooLong(input) { return tooLong("signature-input") }
    if input.contains("\\\"") {
      return Wording(
        korean: "signature-input의 따옴표 앞에 역슬래시(\\\")가 남아 있습니다. JSON 문자열을 해석하지 않고 그대로 넣은 것으로 보입니다.",
        english:
          "the quotation marks of signature-input still have backslashes before them, as if the "
          + "JSON string had not been decoded.")
    }
    let quotes = input.count { $0 == "\"" }
    if quotes == 0 {
      return Wording(
        korean: "signature-input의 따옴표가 모두 사라졌습니다. 셸이나 라이브러리가 따옴표를 지운 것으로 보입니다.",
        english:
          "signature-input has lost its quotation marks; a shell or a library took them away.")
    }
    if !quotes.isMultiple(of: 2) || !input.contains(")") {
      return Wording(
        korean: "signature-input이 중간에서 잘렸거나 따옴표·괄호가 빠졌습니다.",
        english: "signature-input is cut off, or a quotation mark or parenthesis is missing.")
    }
    return Wording(
      korean: "signature-input의 문법이 올바르지 않습니다(예: launch=(\"@method\" …);created=…).",
      english: "signature-input is not of the form launch=(\"@method\" …);created=….")
  }

  private static func reason(inClaims claims: Claims?) -> Wording? {
    guard let claims else { return nil }
    if claims.hasMilliseconds {
      return Wording(
        korean: "created 또는 expires가 초 단위가 아니라 밀리초 단위입니다.",
        english: "created or expires is in milliseconds instead of seconds.")
    }
    if claims.nonceText != nil, claims.nonce == nil {
      return Wording(
        korean: "nonce가 LaunchLink의 실행 ID(UUIDv7)가 아닙니다.",
        english: "the nonce is no launch id of LaunchLink (a UUIDv7).")
    }
    return nil
  }

  private static func reason(inSignature signature: String) -> Wording? {
    if isTooLong(signature) { return tooLong("signature") }
    guard StructuredDictionary(signature) == nil else { return nil }
    if signature.lowercased().contains("%3d") || signature.lowercased().contains("%2b") {
      return Wording(
        korean: "signature 값이 URL 인코딩되어 있습니다(%3D, %2B 등). 헤더 값은 인코딩하지 않아야 합니다.",
        english: "the signature is percent-encoded (%3D, %2B). Header values are not encoded.")
    }
    let parts = signature.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count >= 3 else {
      return Wording(
        korean: "signature 값의 앞뒤에 있어야 할 콜론(:)이 없습니다. launch=:…: 형식이어야 하며, 끝이 잘렸을 수 있습니다.",
        english:
          "the signature lacks a colon. It is of the form launch=:…: and may have been cut off.")
    }
    let code = parts[1]
    if code.contains(" ") {
      return Wording(
        korean: "signature 값 안에 공백이 있습니다. + 문자가 공백으로 바뀐 것으로 보입니다.",
        english: "the signature holds a space, into which a + seems to have been turned.")
    }
    if code.contains("-") || code.contains("_") {
      return Wording(
        korean: "signature 값이 URL용 Base64(-, _)로 바뀌었습니다. 표준 Base64(+, /)여야 합니다.",
        english: "the signature is in base64url (with - and _) instead of base64 (with + and /).")
    }
    return Wording(
      korean:
        "signature 값이 올바른 Base64가 아닙니다(44자여야 하는데 \(code.count)자입니다). 일부가 잘렸거나 끝의 =가 빠졌을 수 있습니다.",
      english:
        "the signature is no proper base64 (it has \(code.count) characters, 44 are right). It may "
        + "be cut off, or the = at its end is missing.")
  }

  private static func isTooLong(_ value: String) -> Bool {
    value.utf8.count > StructuredFieldReader.longestValue
  }

  private static func tooLong(_ name: String) -> Wording {
    Wording(
      korean: "\(name) 값이 4,096바이트보다 깁니다. 실행의 값은 몇백 바이트입니다.",
      english: "\(name) is longer than 4,096 bytes; a launch's has some hundred.")
  }
}
