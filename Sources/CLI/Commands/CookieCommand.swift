import Configuration
import Domain
import JSON
import Store

extension WebViewCookie.SameSite: ExpressibleByArgument {}

extension Timestamp: ExpressibleByArgument {
  init?(argument: String) { self.init(rfc3339: argument) }
  static var expectation: String { "a time in RFC 3339, such as 2027-01-31T00:00:00Z" }
}

/// `launchlink cookie …`.
struct CookieCommand: CommandGroup {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "cookie", abstract: "Manage the cookies that apps set in their web views.",
      discussion:
        "GET /webview-settings hands them to partners' backends: they are no place for secrets.",
      examples: ["launchlink cookie set --name lang --value ko --domain cashback.example"],
      subcommands: [CookieSet.self, CookieList.self, CookieRemove.self])
  }
}

/// `launchlink cookie set`.
struct CookieSet: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "set",
      abstract: "Add a cookie, or change the one of that name, domain and path.",
      discussion: "Of a cookie that is there, what is not named stays as it is.",
      examples: [
        "launchlink cookie set --name lang --value ko --domain cashback.example",
        "launchlink cookie set --name lang --value ko --domain cashback.example --no-expires",
      ])
  }

  @Option("NAME", help: "The name.") var name: String
  @Option("TEXT", help: "The value.") var value: String
  @Option("HOST", help: "A host name, no scheme and no port.") var domain: String
  @Option("PATH", help: "The path on the host.") var path: String = "/"
  @Option("PROJECT", help: "For this project only, by its id or its name; without it, for all.")
  var project: ProjectReference?
  @Option(help: "When it is sent along from another site.") var sameSite: WebViewCookie.SameSite?
  @Option("TIME", help: "When it ends; without it, with the web view's session.")
  var expires: Timestamp?
  @Flag(help: "Let it end with the web view's session again.") var noExpires: Bool
  @Flag(help: "Hide it from scripts.") var httpOnly: Bool
  @Flag(help: "Show it to scripts again.") var noHTTPOnly: Bool
  @Flag(help: "Send it without TLS too.") var insecure: Bool
  @Flag(help: "Send it over TLS only again.") var secure: Bool

  /// What was not named.
  private func kept() throws -> Set<WebViewCookie.Attribute> {
    let named: [(attribute: WebViewCookie.Attribute, isSet: Bool, isUnset: Bool, names: String)] = [
      (.secure, insecure, secure, "--insecure, --secure"),
      (.httpOnly, httpOnly, noHTTPOnly, "--http-only, --no-http-only"),
      (.sameSite, sameSite != nil, false, ""),
      (.expires, expires != nil, noExpires, "--expires, --no-expires"),
    ]
    for one in named where one.isSet && one.isUnset {
      throw UsageError("One of these contradicts the other: \(one.names).")
    }
    return Set(named.filter { !$0.isSet && !$0.isUnset }.map(\.attribute))
  }

  func run(in context: Context) throws {
    let kept = try kept()
    // A value that does not fit is a usage error, also for a project that does not exist.
    _ = try cookie(of: nil)
    if let expires, expires <= context.clock() {
      throw CommandFailure(
        .usage,
        "--expires: \(expires) lies in the past. To end it: launchlink cookie remove --name "
          + "\(ShellCommand.quoted(name)) --domain \(ShellCommand.quoted(domain)) --path "
          + ShellCommand.quoted(path)
          + (project.map { " --project \(ShellCommand.quoted($0.text))" } ?? ""))
    }
    let store = try context.store()
    let cookie = try cookie(of: project?.find(in: store.makeReader()).id)
    let set: WebViewCookie
    do {
      set = try store.setCookie(cookie, keeping: kept, by: context.actor)
    } catch let fault as FieldFault {
      throw CommandFailure(.usage, fault.detail)
    }
    try context.show(
      set.json,
      table: Table.properties([
        ("Name", set.name), ("Value", set.value), ("Domain", set.domain),
        ("Path", set.path), ("Project", set.projectID?.description ?? "all"),
        ("Secure", set.isSecure ? "yes" : "no"), ("HTTP only", set.isHTTPOnly ? "yes" : "no"),
        ("Same site", set.sameSite.rawValue), ("Expires", set.expiresAt?.description ?? "-"),
      ]))
  }

  private func cookie(of projectID: ProjectID?) throws -> WebViewCookie {
    do {
      return try WebViewCookie(
        projectID: projectID, name: name, value: value, domain: domain, path: path,
        isSecure: !insecure, isHTTPOnly: httpOnly, sameSite: sameSite ?? .lax, expiresAt: expires)
    } catch let fault as FieldFault {
      throw CommandFailure(.usage, fault.detail)
    }
  }
}

/// `launchlink cookie list`.
struct CookieList: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "list", abstract: "List the cookies.", examples: ["launchlink cookie list"])
  }

  func run(in context: Context) throws {
    try context.show(
      context.store().makeReader().knowledge.cookies(),
      json: { cookie in
        .object(
          [JSON.Member(name: "project_id", value: JSON(cookie.projectID?.description))]
            + (cookie.json.objectValue ?? []))
      }, headings: ["NAME", "VALUE", "DOMAIN", "PATH", "PROJECT", "EXPIRES"],
      none: "There are no cookies. Add one: launchlink cookie set --help"
    ) { cookie in
      [
        cookie.name, cookie.value, cookie.domain, cookie.path,
        cookie.projectID?.description ?? "all", cookie.expiresAt?.description ?? "-",
      ]
    }
  }
}

/// `launchlink cookie remove`.
struct CookieRemove: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "remove", abstract: "Remove a cookie.",
      examples: ["launchlink cookie remove --name lang --domain cashback.example --yes"])
  }

  @Option("NAME", help: "The name.") var name: String
  @Option("HOST", help: "The domain, as cookie list shows it.") var domain: String
  @Option("PATH", help: "The path.") var path: String = "/"
  @Option("PROJECT", help: "The project, by its id or its name; without it, the cookie for all.")
  var project: ProjectReference?

  func run(in context: Context) throws {
    _ = try cookie(of: nil)
    let store = try context.store()
    let found = try project?.find(in: store.makeReader())
    try context.confirm(
      "Remove the cookie \(quoted(name)) of \(quoted(domain))"
        + (found.map { " for the project \($0.name) (\($0.id))" } ?? "") + "?")
    try store.removeCookie(cookie(of: found?.id), by: context.actor)
    try context.show(["removed": true], table: "Removed.\n")
  }

  private func cookie(of projectID: ProjectID?) throws -> WebViewCookie {
    do {
      return try WebViewCookie(
        projectID: projectID, name: name, value: "", domain: domain, path: path)
    } catch let fault as FieldFault {
      throw CommandFailure(.usage, fault.detail)
    }
  }
}
