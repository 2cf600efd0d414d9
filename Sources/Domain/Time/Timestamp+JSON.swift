public import JSON

extension JSON {
  /// A time in RFC 3339, or `null` where there is none.
  public init(_ time: Timestamp?) {
    self.init(time?.description)
  }
}
