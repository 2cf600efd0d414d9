import Configuration
import Domain
import JSON
import Store

extension ImportSummary {
  /// The counts as `--output json` shows them.
  var members: [JSON.Member] {
    [
      ("added", added), ("changed", changed), ("unchanged", unchanged), ("erased", erased),
      ("deactivated", deactivated),
    ]
    .map { JSON.Member(name: $0, value: .integer(Int64($1))) }
  }

  /// The counts in words; that of deactivated businesses only if `isAsked` or not 0.
  func words(deactivated isAsked: Bool) -> String {
    "\(added) added, \(changed) changed"
      + (erased > 0 ? " (something erased of \(erased))" : "") + ", \(unchanged) unchanged"
      + (isAsked || deactivated > 0 ? ", \(deactivated) deactivated" : "")
  }
}

/// What an import would do, business by business.
final class DryRunReport {
  private let context: Context
  private let spool: Spool
  private var isEmpty = true

  init(_ context: Context) throws {
    self.context = context
    spool = try Spool(environment: context.environment)
  }

  func add(_ change: CatalogChange) throws {
    let before = isEmpty ? "{\"changes\":[\n" : ",\n"
    isEmpty = false
    try spool.append { output in
      switch context.globals.output {
      case .table:
        let about =
          change.kind == .change ? change.fields.joined(separator: ", ") : change.business.name
        output += "\(change.kind.rawValue.padded(to: 12))\(change.business.id.padded(to: 32))".utf8
        output += "\(about.withUnseenEscaped)\n".utf8
        for product in change.products {
          output += "\("product".padded(to: 12))\(change.business.id.padded(to: 32))".utf8
          output += "\(product.withUnseenEscaped)\n".utf8
        }
        if change.deactivates, change.kind == .change {
          output += "\("deactivate".padded(to: 12))\(change.business.id.padded(to: 32))".utf8
          output += "\(change.business.name.withUnseenEscaped)\n".utf8
        }
        for erasure in change.erasures {
          let part =
            "\("erase".padded(to: 12))\(change.business.id.padded(to: 32))\(erasure.line)\n"
          output += part.utf8
        }
      case .json:
        let fields = JSON.array(change.fields.map(JSON.string))
        let erased = change.erasures.map { erasure -> JSON in
          [
            "field": .string(erasure.field),
            "values": .array(erasure.values.map(JSON.string)),
          ]
        }
        output += before.utf8
        let item: JSON = [
          "business_id": .string(change.business.id), "change": .string(change.kind.rawValue),
          "fields": fields, "erased": .array(erased), "deactivates": .bool(change.deactivates),
        ]
        item.append(to: &output)
      }
    }
  }

  func print(_ summary: ImportSummary, prunes: Bool) throws {
    if context.globals.output == .json {
      let start = isEmpty ? "{\"changes\":[" : "\n"
      try spool.append { output in
        output += "\(start)]".utf8
        for member in summary.members + [JSON.Member(name: "dry_run", value: true)] {
          output += ",\n\"\(member.name)\":".utf8
          member.value.append(to: &output)
        }
        output += "}\n".utf8
      }
    }
    try spool.print(on: context.console)
    context.note("Dry run: it would be \(summary.words(deactivated: prunes)). Nothing was changed.")
    if summary.missing > 0 {
      context.note(
        "\(summary.missing) active businesses are not in the file; --prune would deactivate them.")
    }
  }
}

extension CatalogErasure {
  /// The most values that are shown; the rest is counted.
  private static let shownValues = 5

  /// A field and its values that are lost, on one line.
  fileprivate var line: String {
    let shown = values.prefix(Self.shownValues).map(quoted).joined(separator: ", ")
    let rest = values.count - Self.shownValues
    return "\(field): \(shown)" + (rest > 0 ? " and \(rest) more" : "")
  }
}

extension CatalogLosses {
  /// The lost values of each business, and how many businesses are not shown.
  var lines: String {
    var lines: [String] = []
    for change in first {
      lines += change.erasures.map { "  \(change.business.id): \($0.line)" }
      if change.deactivates {
        lines.append(
          "  \(change.business.id): deactivated (\(change.business.name.withUnseenEscaped))")
      }
    }
    if count > first.count {
      lines.append("  … and of \(count - first.count) more; --dry-run shows all.")
    }
    let parts = [
      erased > 0 ? "\(erased) lose something that is said of them" : nil,
      deactivated > 0 ? "\(deactivated) can no longer be launched" : nil,
    ]
    lines.append("Businesses: " + parts.compactMap(\.self).joined(separator: ", ") + ".")
    return lines.joined(separator: "\n")
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(1, width - count))
  }
}
