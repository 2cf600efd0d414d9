public import JSON

extension JSON {
  /// A text, or `null` where there is none.
  public init(_ text: String?) {
    self = text.map(JSON.string) ?? .null
  }

  /// A time in RFC 3339, or `null` where there is none.
  public init(_ time: Timestamp?) {
    self.init(time?.description)
  }
}
