internal import CEmbedded

/// The files that are compiled in.
enum Embedded {
  static let openAPI = bytes(of: embedded_openapi())
  static let supportStyle = bytes(of: embedded_support_css())
  static let supportScript = bytes(of: embedded_support_js())
  static let supportIcon = bytes(of: embedded_support_icon())

  private static func bytes(of file: embedded_file) -> [UInt8] {
    Array(UnsafeBufferPointer(start: file.bytes, count: file.size))
  }
}
