public import JSON

extension WebViewCookie {
  /// The cookie as the API shows it (`Cookie` of openapi.yaml); the audit log leaves its value out.
  public var json: JSON {
    [
      "name": .string(name), "value": .string(value), "domain": .string(domain),
      "path": .string(path), "secure": .bool(isSecure), "http_only": .bool(isHTTPOnly),
      "same_site": .string(sameSite.rawValue), "expires": JSON(expiresAt),
    ]
  }
}
