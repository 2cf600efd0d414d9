internal import JSON

/// Where a launch leads to.
struct Destination {
  /// The plain base URL.
  static let start = Destination(page: nil, path: nil)

  /// The page; nil for the plain base URL.
  let page: Page?
  /// The raw, unencoded path with its query; nil for the plain base URL.
  let path: String?
}

/// Finds the destination of a request, or says what is wrong with it.
struct DestinationCheck {
  let site: Site
  let directory: any BusinessDirectory

  /// Where a request leads to; meaningless where `faults` is not empty afterwards.
  ///
  /// - Throws: the directory's own error.
  func destination(of request: LaunchRequest, faults: inout FieldFaultList) throws -> Destination {
    if faults.has("page") { return .start }
    if request.redirectTo != nil, request.page != nil {
      faults.add(
        FieldFault(
          "redirect_to", .conflictingFields,
          "Send either page or redirect_to, not both: both say where to go."))
    }
    guard let name = request.page else {
      try refuseParameters(of: request, takenBy: nil, faults: &faults)
      guard let raw = request.redirectTo, !faults.has("redirect_to") else { return .start }
      switch try RedirectCheck(site: site, directory: directory).page(of: raw) {
      case .success(let page): return Destination(page: page, path: raw)
      case .failure(let fault):
        faults.add(fault)
        return .start
      }
    }
    guard let page = site.page(named: name) else {
      faults.add(
        FieldFault(
          "page", .unknownPage,
          "There is no such page. Known pages: \(site.pages.map(\.name).joined(separator: ", ")).",
          suggestions: nearest(to: name, in: site.pages.map(\.name))))
      return .start
    }
    try refuseParameters(of: request, takenBy: page, faults: &faults)
    return Destination(
      page: page, path: try path(of: page, request: request, faults: &faults))
  }

  private func path(
    of page: Page, request: LaunchRequest, faults: inout FieldFaultList
  ) throws -> String {
    var path = ByteWriter(capacity: 512)
    path.append(utf8: page.path)
    var separator: StaticString = "?"
    for parameter in page.parameters {
      guard !faults.has(parameter.name) else { continue }
      guard let value = request.value(of: parameter.kind), !value.isEmpty || !parameter.isRequired
      else {
        if parameter.isRequired {
          faults.add(
            FieldFault(
              parameter.name, .missingParameter,
              "The page \(page.name) needs \(parameter.name): add it to the request."))
        }
        continue
      }
      let checked: String
      switch parameter.kind {
      case .category:
        guard let label = site.label(ofCategory: value) else {
          faults.add(site.unknownCategory(value, field: parameter.name))
          continue
        }
        checked = label
      case .business:
        if let fault = try directory.fault(ofBusiness: value, field: parameter.name) {
          faults.add(fault)
          continue
        }
        checked = value
      }
      path.append(separator)
      path.append(utf8: parameter.name)
      path.append("=")
      path.append(utf8: PercentEncoding.innerValue(checked))
      separator = "&"
    }
    return path.string
  }

  private func refuseParameters(
    of request: LaunchRequest, takenBy page: Page?, faults: inout FieldFaultList
  ) throws {
    for kind in Page.Parameter.Kind.allCases
    where request.value(of: kind) != nil && page?.takes(kind) != true && !faults.has(kind.rawValue)
    {
      let takers = site.pages.filter { $0.takes(kind) }.map(\.name).joined(separator: ", ")
      let place = page.map { "The page \($0.name) takes no \(kind.rawValue)" }
      faults.add(
        FieldFault(
          kind.rawValue, .conflictingFields,
          "\(place ?? "Without page there is no place for \(kind.rawValue)"). "
            + "Pages that take it: \(takers.isEmpty ? "none" : takers)."))
    }
  }
}

extension LaunchRequest {
  fileprivate func value(of kind: Page.Parameter.Kind) -> String? {
    switch kind {
    case .category: category
    case .business: businessID
    }
  }
}

extension Page {
  func takes(_ kind: Parameter.Kind) -> Bool {
    parameters.contains { $0.kind == kind }
  }
}

extension Site {
  func unknownCategory(_ value: String, field: String) -> FieldFault {
    FieldFault(
      field, .unknownCategory,
      "There is no such category. GET /categories lists them; redirect_to takes the label only.",
      suggestions: nearest(to: value, in: categories.map(\.key)))
  }
}

extension BusinessDirectory {
  func fault(ofBusiness id: String, field: String) throws -> FieldFault? {
    switch try standing(ofBusiness: id) {
    case .active:
      return nil
    case .inactive:
      return FieldFault(
        field, .inactiveBusiness,
        "This business is switched off and cannot be launched; GET /businesses?active=true lists "
          + "those that can.")
    case .unknown(let nearest):
      let hint = nearest.isEmpty ? "" : " Did you mean \(nearest.joined(separator: ", "))?"
      return FieldFault(
        field, .unknownBusiness,
        "This business is not in the catalogue.\(hint) GET /businesses lists those that are.",
        suggestions: nearest)
    }
  }
}

/// Collects faults, at most one a field.
struct FieldFaultList {
  private(set) var all: [FieldFault]

  init(_ faults: [FieldFault]) {
    all = []
    for fault in faults { add(fault) }
  }

  var isEmpty: Bool { all.isEmpty }

  func has(_ field: String) -> Bool {
    // Compared as bytes: Swift's `==` takes composed and decomposed names for equal.
    !all.isEmpty && all.contains { $0.field.hasSameBytes(as: field) }
  }

  mutating func add(_ fault: FieldFault) {
    if !has(fault.field) { all.append(fault) }
  }

  /// The report in the order of the launch's fields, unknown fields last; nil where there is no
  /// fault.
  var report: FieldFaults? {
    guard !all.isEmpty else { return nil }
    let rank: (FieldFault) -> Int = { fault in
      LaunchRequest.fields.firstIndex(of: fault.field) ?? LaunchRequest.fields.count
    }
    let ordered = all.enumerated().sorted { left, right in
      (rank(left.element), left.offset) < (rank(right.element), right.offset)
    }
    return FieldFaults(ordered.map(\.element))
  }
}
