import Domain
import JSON
import YAML

extension SettingRule where Value == [String: Upstream] {
  /// A map of upstreams by name, at least one.
  static var upstreams: Self {
    SettingRule { node, reader in
      guard let entries = reader.entries(of: node, what: "upstreams") else { return nil }
      var upstreams: [String: Upstream] = [:]
      for (name, value) in entries {
        upstreams[name] = readUpstream(value, name: name, reader: &reader)
      }
      return upstreams
    } show: { upstreams in
      .object(
        upstreams.sorted { $0.key < $1.key }.map { name, upstream in
          JSON.Member(
            name: name,
            value: [
              "base_url": .string(upstream.baseURL),
              "internal_origins": .array(upstream.internalOrigins.map(JSON.string)),
            ])
        })
    }
  }
}

private func readUpstream(
  _ node: YAML.Node, name: String, reader: inout SettingReader
) -> Upstream? {
  guard let members = reader.members(of: node, name, known: ["base_url", "internal_origins"]) else {
    return nil
  }
  guard let base = members["base_url"] else {
    reader.fault(at: node, name, "base_url is missing.")
    return nil
  }
  var origins: [String] = []
  if let list = members["internal_origins"] {
    let path = name + ".internal_origins"
    guard let items = list.sequence else {
      reader.fault(at: list, path, "This has to be a list of origins, such as [https://a.example].")
      return nil
    }
    for item in items {
      if let origin = item.string, !origin.hasSuffix("/"), Upstream(baseURL: origin)?.path == "/" {
        origins.append(origin)
      } else {
        reader.fault(
          at: item, path, "This has to be scheme and host alone, such as https://cashback.example.")
      }
    }
  }
  guard let upstream = Upstream(baseURL: base.string ?? "", internalOrigins: origins) else {
    reader.fault(
      at: base, name + ".base_url",
      "This has to be an https URL with host and path, without credentials, query, fragment "
        + "and slash at its end, such as https://cashback.example/main; the path of letters, digits "
        + "and - . _ ~ between slashes, since gateways hand on nothing else to the letter.")
    return nil
  }
  // As for PublicURL, http is for the loopback host of a trial only.
  if base.string?.lowercased().hasPrefix("http:") == true,
    PublicURL("http://\(upstream.authority)") == nil
  {
    reader.fault(
      at: base, name + ".base_url",
      "This has to be https: over http, headers and Web API Keys would cross the network readable. Only "
        + "a loopback host such as 127.0.0.1 may have http.")
    return nil
  }
  return upstream
}

extension SettingRule where Value == [Page] {
  /// A map of pages by name, in order; no two share a path.
  static var pages: Self {
    SettingRule { node, reader in
      guard let entries = reader.entries(of: node, what: "pages") else { return nil }
      var pages: [Page] = []
      for (name, value) in entries {
        guard let page = readPage(value, name: name, reader: &reader) else { continue }
        if let other = pages.first(where: { $0.path == page.path }) {
          reader.fault(at: value, name + ".path", "The page \(other.name) has this path already.")
        }
        pages.append(page)
      }
      return pages
    } show: { pages in
      .object(pages.map { JSON.Member(name: $0.name, value: shown($0)) })
    }
  }
}

private func shown(_ page: Page) -> JSON {
  let parameters = page.parameters.map { parameter in
    JSON.Member(
      name: parameter.name, value: .string(parameter.isRequired ? "required" : "optional"))
  }
  return parameters.isEmpty
    ? ["path": .string(page.path)]
    : ["path": .string(page.path), "parameters": .object(parameters)]
}

private func readPage(_ node: YAML.Node, name: String, reader: inout SettingReader) -> Page? {
  guard let members = reader.members(of: node, name, known: ["path", "parameters"]) else {
    return nil
  }
  var parameters: [Page.Parameter] = []
  if let node = members["parameters"] {
    let known = Page.Parameter.Kind.allCases.map(\.rawValue)
    let path = name + ".parameters"
    guard let named = reader.members(of: node, path, known: known) else { return nil }
    for kind in Page.Parameter.Kind.allCases {
      guard let value = named[kind.rawValue] else { continue }
      let choices = ["required", "optional"]
      guard let choice = value.string, choices.contains(choice) else {
        let meant = didYouMean(value.string ?? "", choices)
        reader.fault(
          at: value, "\(path).\(kind.rawValue)",
          "This has to be required or optional\(meant.closed)")
        continue
      }
      parameters.append(Page.Parameter(kind, isRequired: choice == "required"))
    }
  }
  guard let path = members["path"] else {
    reader.fault(at: node, name, "path is missing.")
    return nil
  }
  guard let page = Page(name: name, path: path.string ?? "", parameters: parameters) else {
    reader.fault(
      at: path, name + ".path",
      "This has to be a path such as /cashback/detail: letters, digits and - . _ ~ between slashes."
    )
    return nil
  }
  return page
}

extension SettingRule where Value == [Category] {
  /// A map of labels by category, in order; no two are equal.
  static var categories: Self {
    SettingRule { node, reader in
      guard let entries = reader.entries(of: node, what: "categories") else { return nil }
      var categories: [Category] = []
      for (key, value) in entries {
        let category: Category
        do throws(NameRule.Objection) {
          category = Category(
            key: key, label: try NameRule.name(value.string ?? "", lengths: 1...50))
        } catch {
          reader.fault(
            at: value, key,
            "This has to be the label that users see, 1 to 50 characters. \(error)")
          continue
        }
        if let other = categories.first(where: { $0.label == category.label }) {
          reader.fault(at: value, key, "The category \(other.key) has this label already.")
        }
        categories.append(category)
      }
      return categories
    } show: { categories in
      .object(categories.map { JSON.Member(name: $0.key, value: .string($0.label)) })
    }
  }
}

extension SettingReader {
  /// The entries of a map, in order; the map has at least one, and its names are fit for commands and URLs.
  fileprivate mutating func entries(
    of node: YAML.Node, what: String
  ) -> [(name: String, value: YAML.Node)]? {
    guard let mapping = node.mapping, !mapping.isEmpty else {
      fault(at: node, "This has to be a map of \(what) by name, at least one.")
      return nil
    }
    var entries: [(name: String, value: YAML.Node)] = []
    for (key, value) in mapping {
      let name = key.string ?? ""
      if Business.isID(name) {
        entries.append((name, value))
      } else {
        fault(at: key, "The name \(quoted(name)) has to be 1 to 30 of a-z 0-9 _ and -.")
      }
    }
    return entries
  }

  /// The members of a map by name; an unknown name is a fault.
  fileprivate mutating func members(
    of node: YAML.Node, _ path: String, known: [String]
  ) -> [String: YAML.Node]? {
    guard let mapping = node.mapping else {
      fault(at: node, path, "This has to be a map with \(known.joined(separator: " and ")).")
      return nil
    }
    var members: [String: YAML.Node] = [:]
    for (key, value) in mapping {
      let name = key.string ?? ""
      if known.contains(name) {
        if !value.isNull { members[name] = value }
      } else {
        fault(
          at: key, path,
          "There is no \(quoted(name)) here, only \(known.joined(separator: " and "))"
            + didYouMean(name, known).closed)
      }
    }
    return members
  }
}
