/// A shop that pays cashback, with its commissions (openapi.yaml, schema `Business`).
public struct Business: Sendable, Equatable {
  /// The identifier: 1–30 of `a-z 0-9 _ -`.
  public let id: String
  /// What people call it, at most 50 characters.
  public var name: String
  /// Other names that it is found by.
  public var aliases: [String]
  /// The category's key, such as `beauty`.
  public var category: String
  /// Where its picture is.
  public var imageURL: String?
  /// Where the shop is.
  public var url: String?
  /// The cashback program's name.
  public var programName: String?
  /// In which cases cashback is paid, as shown to users.
  public var displayAllowedCases: String?
  /// What users have to pay attention to.
  public var displayCaution: String?
  /// Whether it can be launched.
  public var isActive: Bool
  /// What is paid for; the first is the main one, and there is at least one.
  public var products: [Product]
  /// When it was last changed.
  public var updatedAt: Timestamp

  /// Makes a business of its parts.
  public init(
    id: String, name: String, aliases: [String] = [], category: String, imageURL: String? = nil,
    url: String? = nil, programName: String? = nil, displayAllowedCases: String? = nil,
    displayCaution: String? = nil, isActive: Bool = true, products: [Product], updatedAt: Timestamp
  ) {
    self.id = id
    self.name = name
    self.aliases = aliases
    self.category = category
    self.imageURL = imageURL
    self.url = url
    self.programName = programName
    self.displayAllowedCases = displayAllowedCases
    self.displayCaution = displayCaution
    self.isActive = isActive
    self.products = products
    self.updatedAt = updatedAt
  }

  /// Whether `text` can be the identifier of a business.
  public static func isID(_ text: String) -> Bool {
    (1...30).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        byte.isASCIIDigit || (byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z"))
          || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
      }
  }

  /// The first fault of its names; nil where they may be stored.
  ///
  /// - Parameter old: the business as it is stored; a name that it already has is not checked.
  /// - Returns: what is wrong and what to do.
  public func objectionToNames(besides old: Business? = nil) -> String? {
    let known = Set(old?.names ?? [])
    for name in names where !known.contains(name) {
      if let objection = NameRule.objection(to: name, lengths: 1...BusinessRules.lineLength) {
        return "The text \"\(name.withUnseenEscaped)\" of the business \(id): \(objection)"
      }
    }
    return nil
  }

  /// Every text of one line.
  private var names: [String] {
    [name] + aliases + [programName].compactMap(\.self) + products.compactMap(\.target)
  }

  /// Every text that a person wrote.
  public var texts: [String] {
    names + [imageURL, url, displayAllowedCases, displayCaution].compactMap(\.self)
  }

  /// Splits aliases at `|`, as CSV writes them; none for an empty text.
  public static func aliases(in text: String) -> [String] {
    // By bytes, which is many times faster than by `Character`.
    text.isEmpty
      ? []
      : text.utf8.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
        .map { String(Substring($0)) }
  }

  /// Whether two businesses are equal but for the time of their last change.
  public func hasSameContent(as other: Business) -> Bool {
    var copy = other
    copy.updatedAt = updatedAt
    return self == copy
  }
}

/// Something that cashback is paid for.
public struct Product: Sendable, Equatable {
  /// Who or what it is paid for, as shown to users.
  public var target: String?
  /// From when it is paid.
  public var startsAt: Timestamp?
  /// Until when it is paid.
  public var endsAt: Timestamp?
  /// What the commission is paid for.
  public var commissionType: CommissionType
  /// How much is paid.
  public var commission: Commission

  /// Makes a product of its parts.
  public init(
    target: String? = nil, startsAt: Timestamp? = nil, endsAt: Timestamp? = nil,
    commissionType: CommissionType, commission: Commission
  ) {
    self.target = target
    self.startsAt = startsAt
    self.endsAt = endsAt
    self.commissionType = commissionType
    self.commission = commission
  }
}

/// What a commission is paid for.
public enum CommissionType: String, Sendable, CaseIterable {
  /// A sale.
  case perSale = "CPS"
  /// An action, such as signing up.
  case perAction = "CPA"
  /// A click.
  case perClick = "CPC"
  /// A thousand views.
  case perMille = "CPM"
}

/// How much is paid.
public struct Commission: Sendable, Equatable {
  /// What the amount counts.
  public enum Unit: String, Sendable, CaseIterable {
    case percentage = "PERCENTAGE_COMMISSION_UNIT"
    case won = "KRW_COMMISSION_UNIT"
  }

  /// A decimal number as text, such as `2.5`, so that nothing is rounded.
  public let amount: String
  /// What the amount counts.
  public let unit: Unit

  /// Takes an amount of up to 12 digits before the point and 6 after it, without sign or spaces.
  ///
  /// - Returns: nil where `amount` is no such number, or a percentage above 100.
  public init?(amount: String, unit: Unit) {
    let parts = amount.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = parts.first, (1...12).contains(whole.count),
      whole.allSatisfy(\.isASCIIDigit), whole.count == 1 || whole.first != UInt8(ascii: "0"),
      parts.count == 1 || ((1...6).contains(parts[1].count) && parts[1].allSatisfy(\.isASCIIDigit))
    else { return nil }
    if unit == .percentage {
      let isOver = whole.count > 3 || (whole.count == 3 && !whole.elementsEqual("100".utf8))
      let hasFraction = parts.count == 2 && parts[1].contains { $0 != UInt8(ascii: "0") }
      guard !isOver, !(whole.count == 3 && hasFraction) else { return nil }
    }
    self.amount = amount
    self.unit = unit
  }
}

/// One of the kinds that businesses are sorted into; the set is configuration.
public struct Category: Sendable, Equatable {
  /// The name in requests and data, such as `beauty`.
  public let key: String
  /// What users see and the upstream's URLs carry, such as `뷰티`, in Unicode NFC.
  public let label: String

  /// Makes a category; `label` is brought into NFC.
  public init(key: String, label: String) {
    self.key = key
    self.label = label.normalizedNFC
  }
}
