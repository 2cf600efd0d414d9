public import HTTPServer

extension RequestNote {
  /// The request id for logs; a caller's id that holds a secret is withheld.
  ///
  /// - Parameter request: the request.
  /// - Returns: the id, or `withheld`.
  public func loggedID(of request: Request) -> String {
    mayLogID(of: request) ? request.id : "withheld"
  }

  /// Whether a log may show the request id: it is the server's own, or holds no secret.
  func mayLogID(of request: Request) -> Bool {
    guard request.isIDOfCaller else { return true }
    return request.withID { id in
      guard !id.holds("llk_".utf8), !id.holdsPaddedBase64, let secrets = secrets(of: request)
      else { return false }
      // A secret under 4 bytes occurs in many ids by chance, but rarely as a word of its own.
      return !secrets.contains { $0.count >= 4 ? id.holds($0) : id.holdsWord($0) }
    }
  }

  /// Whether a trace holds no secret of 8 bytes or more; shorter ones occur in its digits by chance.
  func mayLog(_ trace: TraceParent, of request: Request) -> Bool {
    guard let secrets = secrets(of: request) else { return false }
    return !secrets.contains { secret in
      secret.count >= 8
        && [trace.traceID, trace.parentID].contains { id in
          id.withUnsafeBytes { $0.holds(secret) }
        }
    }
  }

  /// The users and Web API Keys of the request, even if it was refused; nil if they are not known.
  private func secrets(of request: Request) -> [[UInt8]]? {
    guard !request.hasUnseenBody, !hasUnknownSecrets else { return nil }
    var secrets = [userID, webAPIKey].compactMap { $0.map { Array($0.utf8) } }
    for name in BodySecrets.headerNames {
      request.withHeaderValues(name) { values in
        secrets += values.prefix(BodySecrets.most + 1).map { Array($0) }
      }
    }
    guard let named = request.withBody({ BodySecrets(in: $0).values }) else { return nil }
    secrets += named
    return secrets.count > BodySecrets.most ? nil : secrets.filter { !$0.isEmpty }
  }
}

/// The users and Web API Keys in a JSON body, valid or not.
///
/// A refused request may never have been parsed, and its log line has to keep the same secrets.
struct BodySecrets {
  /// The most secrets that are looked for in a request's id and trace; no launch has more.
  static let most = 8
  static let headerNames: [StaticString] = ["x-moment-user-id", "x-moment-web-api-key"]
  private static let names: [StaticString] = ["user_id"] + headerNames

  /// The values; nil if a name or one of the values has escapes, or there are more than ``most``.
  let values: [[UInt8]]?

  init(in body: UnsafeRawBufferPointer) {
    var found: [[UInt8]] = []
    var isPlain = true
    var place = body.startIndex
    while let name = Self.string(in: body, from: &place) {
      var rest = place
      guard Self.take(UInt8(ascii: ":"), in: body, from: &rest) else { continue }
      guard !name.contains(UInt8(ascii: "\\")) else {
        isPlain = false
        break
      }
      let isSecret = Self.names.contains { isWord($0, UnsafeRawBufferPointer(rebasing: name)) }
      guard isSecret, Self.isNext(UInt8(ascii: "\""), in: body, from: &rest),
        let value = Self.string(in: body, from: &rest)
      else { continue }
      if value.contains(UInt8(ascii: "\\")) { isPlain = false }
      found.append(Array(value))
      isPlain = isPlain && found.count <= Self.most
      guard isPlain else { break }
      place = rest
    }
    values = isPlain ? found : nil
  }

  /// The next string without its quotation marks; `place` moves behind it.
  private static func string(
    in body: UnsafeRawBufferPointer, from place: inout Int
  ) -> Slice<UnsafeRawBufferPointer>? {
    guard let start = body[place...].firstIndex(of: UInt8(ascii: "\"")) else { return nil }
    var end = start + 1
    while end < body.count, body[end] != UInt8(ascii: "\"") {
      end += body[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    end = min(end, body.count)
    place = min(end + 1, body.count)
    return body[(start + 1)..<end]
  }

  private static func isNext(
    _ byte: UInt8, in body: UnsafeRawBufferPointer, from place: inout Int
  ) -> Bool {
    while place < body.count, [0x20, 0x09, 0x0A, 0x0D].contains(body[place]) { place += 1 }
    return place < body.count && body[place] == byte
  }

  private static func take(
    _ byte: UInt8, in body: UnsafeRawBufferPointer, from place: inout Int
  ) -> Bool {
    guard isNext(byte, in: body, from: &place) else { return false }
    place += 1
    return true
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes contain `text`, which is not empty.
  fileprivate func holds(_ text: some Collection<UInt8>) -> Bool {
    place(of: text, where: { _ in true })
  }

  /// The same, with neither a letter nor a digit beside `text`.
  fileprivate func holdsWord(_ text: some Collection<UInt8>) -> Bool {
    place(of: text) { place in
      (place.lowerBound == 0 || !self[place.lowerBound - 1].isLetterOrDigit)
        && (place.upperBound == count || !self[place.upperBound].isLetterOrDigit)
    }
  }

  private func place(
    of text: some Collection<UInt8>, where fits: (Range<Int>) -> Bool
  ) -> Bool {
    indices.contains { start in
      self[start...].starts(with: text) && fits(start..<start + text.count)
    }
  }

  /// Whether the bytes contain 40 or more characters of base64 and their padding, as in keys and signatures; UUIDs
  /// and traces have no padding.
  fileprivate var holdsPaddedBase64: Bool {
    var length = 0
    for byte in self {
      if byte == UInt8(ascii: "="), length >= 40 { return true }
      length = byte.isLetterOrDigit || "+/-_".utf8.contains(byte) ? length + 1 : 0
    }
    return false
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: false
    }
  }
}
