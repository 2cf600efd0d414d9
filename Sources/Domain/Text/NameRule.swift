internal import UnicodeText

/// What people may call something: projects, keys, businesses and their aliases, categories.
///
/// All names follow one rule, however they are entered: what is stored is what is seen. It is the
/// FreeformClass of PRECIS (RFC 8264 section 4.3) in NFC, relaxed for invisible characters that
/// writing needs, as in emoji and in Persian.
public enum NameRule {
  /// Why a text cannot be a name.
  public struct Objection: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and what to do.
    public let description: String
  }

  /// Takes a text as a name of one line.
  ///
  /// - Parameters:
  ///   - text: the text as it was typed.
  ///   - lengths: how many characters it may have; where 0 is among them, the name may be empty.
  /// - Returns: the name in Unicode NFC.
  /// - Throws: `Objection`.
  public static func name(_ text: String, lengths: ClosedRange<Int>) throws(Objection) -> String {
    let scalars = try characters(of: text, upTo: lengths.upperBound)
    if scalars.isEmpty, lengths.contains(0) { return "" }
    try requireSound(scalars) { _ in false }
    return String(String.UnicodeScalarView(scalars))
  }

  /// Why a text cannot be a name of one line; nil where it can.
  public static func objection(to text: String, lengths: ClosedRange<Int>) -> Objection? {
    do throws(Objection) {
      _ = try name(text, lengths: lengths)
      return nil
    } catch {
      return error
    }
  }

  /// Takes a text of several lines; invisible characters are allowed beside visible ones.
  ///
  /// - Parameters:
  ///   - text: the text with line feeds between its lines.
  ///   - limit: how many characters it may have.
  /// - Returns: the text in Unicode NFC.
  /// - Throws: `Objection`.
  static func lines(_ text: String, upTo limit: Int) throws(Objection) -> String {
    let scalars = try characters(of: text, upTo: limit)
    try requireSound(scalars) { fault in
      switch fault {
      case .unseen, .oddBlank, .meaningless: true
      case .control(let scalar): scalar == "\n" || scalar == "\t"
      case .bidiControl, .replacement: false
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }

  private static func characters(
    of text: String, upTo limit: Int
  ) throws(Objection) -> [Unicode.Scalar] {
    // Checked before normalization, which may take long for a long text.
    guard text.utf8.count <= 16 * limit else { throw .tooLong(limit) }
    guard text.isStreamSafe else { throw .combined }
    let normalized = text.normalizedNFC
    let scalars = Array(normalized.unicodeScalars)
    guard scalars.count <= limit else { throw .tooLong(limit) }
    // Normalization turns a few characters into two, and a stored text is read under the same
    // limit.
    guard normalized.isStreamSafe else { throw .combined }
    return scalars
  }

  /// Refuses a text that begins or ends with a blank, holds a forbidden character or shows nothing.
  private static func requireSound(
    _ scalars: [Unicode.Scalar], ignoring isIgnored: (Unicode.Scalar.NameFault) -> Bool
  ) throws(Objection) {
    guard let first = scalars.first, let last = scalars.last else {
      throw Objection(description: "This cannot be empty.")
    }
    guard !first.isBlank, !last.isBlank else {
      throw Objection(description: "This has to be a text without blanks around it.")
    }
    if first.isMark {
      throw Objection(
        description: "This begins with \(first.codePoint), which belongs on a letter before it.")
    }
    var isSeen = false
    for index in scalars.indices {
      let fault = scalars.nameFault(at: index)
      isSeen = isSeen || (fault == nil && !scalars[index].isBlank)
      guard let fault else { continue }
      if isIgnored(fault) { continue }
      throw Objection(fault, at: index, scalars[index])
    }
    if !isSeen { throw Objection(description: "This text shows nothing. Write what is meant.") }
  }
}

extension NameRule.Objection {
  fileprivate static func tooLong(_ limit: Int) -> Self {
    Self(description: "This may have \(limit) characters at most.")
  }

  fileprivate static var combined: Self {
    Self(
      description:
        "This has more than \(CombiningRun.longest) combining characters in a row: leave most of them out."
    )
  }

  fileprivate init(_ fault: Unicode.Scalar.NameFault, at index: Int, _ scalar: Unicode.Scalar) {
    let place = "Character \(index + 1) is \(scalar.codePoint)"
    switch fault {
    case .control:
      self.init(description: "A line break or another control character cannot stand here.")
    case .bidiControl:
      self.init(description: "\(place), which turns the direction of writing: leave it out.")
    case .unseen: self.init(description: "\(place), which nobody sees here: leave it out.")
    case .oddBlank:
      self.init(description: "\(place), a blank of another kind: type a plain space.")
    case .replacement:
      self.init(
        description: "\(place), which stands for bytes that were no text: write what is meant.")
    case .meaningless:
      self.init(description: "\(place), which means nothing in Unicode: leave it out.")
    }
  }
}
