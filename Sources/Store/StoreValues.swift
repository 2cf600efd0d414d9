public import Domain

/// Who makes a change, for the audit log.
public struct Actor: Sendable, Equatable {
  /// The operating system's name of the user who runs the command.
  public let osUser: String
  /// The user who became that one through sudo.
  public let sudoUser: String?

  /// Names an actor.
  public init(osUser: String, sudoUser: String? = nil) {
    self.osUser = osUser
    self.sudoUser = sudoUser
  }
}

/// A project to be made; the key delivery is always chosen, never defaulted.
public struct ProjectDraft: Sendable {
  /// The upstream's identifier.
  public var id: ProjectID
  /// The name for people, 1–100 characters.
  public var name: String
  /// The receiver of the real Web API Key.
  public var keyDelivery: KeyDelivery
  /// Whether a launch may be used again.
  public var replayPolicy: ReplayPolicy
  /// Lifetime of a bundle in seconds, within `Project.lifetimes`.
  public var ttl: Int
  /// Requests a second, within `Project.rateLimits`.
  public var rateLimit: Int
  /// Name of a configured upstream.
  public var upstream: String

  /// Makes a draft with the contract's defaults.
  public init(
    id: ProjectID, name: String, keyDelivery: KeyDelivery, replayPolicy: ReplayPolicy = .allow,
    ttl: Int = 300, rateLimit: Int = 500, upstream: String = "production"
  ) {
    self.id = id
    self.name = name
    self.keyDelivery = keyDelivery
    self.replayPolicy = replayPolicy
    self.ttl = ttl
    self.rateLimit = rateLimit
    self.upstream = upstream
  }
}

/// Changes of a project; nil leaves a part as it is.
public struct ProjectChanges: Sendable {
  /// See `ProjectDraft`.
  public var name: String?
  /// See `ProjectDraft`.
  public var keyDelivery: KeyDelivery?
  /// See `ProjectDraft`.
  public var replayPolicy: ReplayPolicy?
  /// See `ProjectDraft`.
  public var ttl: Int?
  /// See `ProjectDraft`.
  public var rateLimit: Int?
  /// See `ProjectDraft`.
  public var upstream: String?
  /// A new Web API Key.
  public var webAPIKey: String?

  /// Makes changes that change nothing.
  public init() {}
}

/// An API key to be made; see `APIKey.objection(to:isBound:)` for what fits together.
public struct APIKeyDraft: Sendable {
  /// The name for people; may be empty.
  public var name: String
  /// The purposes that it may be used for.
  public var scopes: Set<Scope>
  /// The project that it is bound to.
  public var projectID: ProjectID?
  /// Seconds until it expires; nil for never.
  public var expiresIn: Int?

  /// Makes a draft.
  public init(name: String, scopes: Set<Scope>, projectID: ProjectID?, expiresIn: Int? = nil) {
    self.name = name
    self.scopes = scopes
    self.projectID = projectID
    self.expiresIn = expiresIn
  }
}

/// A new API key with its secret, which is shown only this once.
public struct IssuedAPIKey: Sendable {
  /// The key as stored.
  public let key: APIKey
  /// The text that its owner gets.
  public let secret: APIKeySecret
  /// The key that it replaces, with its new end; nil for a key that replaces none.
  public let replaced: APIKey?
}

/// A project's derived key, for a verifier outside.
public struct ExportedSigningKey: Sendable {
  /// The signing key that it is derived from.
  public let id: SigningKeyID
  /// The state of that key.
  public let state: SigningKey.State
  /// The 32 derived bytes.
  public let secret: [UInt8]
}

/// The outcome of a rotation of the master key.
public struct MasterKeyRotation: Sendable {
  /// The id of the key that seals from now on.
  public let keyID: String
  /// The number of secrets that were sealed anew.
  public let resealed: Int
}

/// The room that a database takes on disk, in bytes.
public struct DatabaseSizes: Sendable, Equatable {
  /// The database itself.
  public let database: Int
  /// The write-ahead log: the changes that were not brought into the database yet.
  public let writeAheadLog: Int

  /// Puts sizes together.
  package init(database: Int, writeAheadLog: Int) {
    self.database = database
    self.writeAheadLog = writeAheadLog
  }
}

/// How many rows of each kind a database has.
public struct DatabaseCounts: Sendable, Equatable {
  /// Projects.
  public let projects: Int
  /// API keys, dead ones too.
  public let apiKeys: Int
  /// Signing keys, revoked ones too.
  public let signingKeys: Int
  /// Businesses.
  public let businesses: Int
  /// Rows of the audit log.
  public let auditEntries: Int

  /// Puts counts together.
  package init(
    projects: Int = 0, apiKeys: Int = 0, signingKeys: Int = 0, businesses: Int = 0,
    auditEntries: Int = 0
  ) {
    self.projects = projects
    self.apiKeys = apiKeys
    self.signingKeys = signingKeys
    self.businesses = businesses
    self.auditEntries = auditEntries
  }
}

/// The manner of an import of a catalogue file.
public struct ImportManner: Sendable {
  /// Whether to deactivate businesses that are not in the file.
  public var prunes: Bool
  /// Whether to only find out what would change.
  public var isDryRun: Bool
  /// Whether the import may take something away without asking.
  public var mayErase: Bool

  /// Adds and changes only, and asks, unless told otherwise.
  public init(prunes: Bool = false, isDryRun: Bool = false, mayErase: Bool = false) {
    self.prunes = prunes
    self.isDryRun = isDryRun
    self.mayErase = mayErase
  }
}

/// The numbers of businesses that an import added and changed.
public struct ImportSummary: Sendable, Equatable {
  /// Businesses that were not there.
  public var added = 0
  /// Businesses that differed from the file.
  public var changed = 0
  /// Businesses that were the same in the file.
  public var unchanged = 0
  /// Changed businesses that lost a value.
  public var erased = 0
  /// Active businesses that were deactivated: by the file, which count as changed too, and for being missing in
  /// it.
  public var deactivated = 0
  /// Active businesses that are missing in the file and stayed active.
  public var missing = 0

  /// Makes a summary.
  public init(
    added: Int = 0, changed: Int = 0, unchanged: Int = 0, erased: Int = 0, deactivated: Int = 0,
    missing: Int = 0
  ) {
    self.added = added
    self.changed = changed
    self.unchanged = unchanged
    self.erased = erased
    self.deactivated = deactivated
    self.missing = missing
  }
}

/// A search among the businesses, or a list of them.
public struct BusinessQuery: Sendable {
  /// Businesses on a page at the most and by default.
  public static let limits = 1...200
  /// See `limits`.
  public static let defaultLimit = 50

  /// The text to search for; nil or blank for the whole list by name.
  public var text: String?
  /// A category's key; nil for all.
  public var category: String?
  /// Only active or only inactive ones; nil for all.
  public var isActive: Bool?
  /// Within `limits`.
  public var limit = BusinessQuery.defaultLimit
  /// The last business of the page before.
  public var after: BusinessPosition?

  /// Asks for the first page of all.
  public init() {}

  /// Whether it is a search: then each business has a `match`, and `after` a rank.
  public var isSearch: Bool { !CatalogSearch.isBlank(text ?? "") }
}

/// A place in the list of businesses, which stays valid while the catalogue changes.
public struct BusinessPosition: Sendable, Equatable {
  /// The rank of the business's match; nil in a list that is no search.
  public let rank: MatchRank?
  /// The business's name.
  public let name: String
  /// Its id, which tells equal names apart.
  public let id: String

  /// Names a place.
  public init(rank: MatchRank? = nil, name: String, id: String) {
    self.rank = rank
    self.name = name
    self.id = id
  }
}

/// A page of businesses, as `FoundBusiness` or as `Representation`.
public struct BusinessPage<Item: Sendable>: Sendable {
  /// The businesses: the better match first, then by name, then by id.
  public let items: [Item]
  /// The position that the next page begins after; nil on the last page.
  public let next: BusinessPosition?
  /// The number of businesses on all pages.
  public let total: Int

  /// Puts a page together.
  package init(items: [Item], next: BusinessPosition?, total: Int) {
    self.items = items
    self.next = next
    self.total = total
  }
}

/// A launch that an admin issued, for the audit log.
public struct LaunchRecord: Sendable {
  /// The launch.
  public let id: LaunchID
  /// The user, of whom only a digest is written down.
  public let userID: String
  /// The web view's platform.
  public let platform: Platform
  /// The page that was asked for; nil for the start page or a raw path.
  public let page: String?
  /// The path that it leads to, nil for the start page; of a raw path without its query, which may hold a secret.
  public let redirectTo: String?

  /// Describes a launch.
  public init(
    _ id: LaunchID, of userID: String, on platform: Platform, page: String?, redirectTo: String?
  ) {
    self.id = id
    self.userID = userID
    self.platform = platform
    self.page = page
    self.redirectTo =
      page == nil
      ? redirectTo.map { String($0.prefix { $0 != "?" && $0 != "#" }) } : redirectTo
  }
}
