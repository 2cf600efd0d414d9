public import Domain

/// Who makes a change, for the audit log.
public struct Actor: Sendable, Equatable {
  /// The operating system's name of the user who runs the command.
  public let osUser: String
  /// Who became that user through sudo.
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
  /// What people call it, 1–100 characters.
  public var name: String
  /// Where the real Web API Key goes.
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

/// What to change of a project; nil leaves a part as it is.
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
  /// What people call it; may be empty.
  public var name: String
  /// What it may be used for.
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

/// A new API key with its secret, which is shown this once.
public struct IssuedAPIKey: Sendable {
  /// The key as stored.
  public let key: APIKey
  /// What its owner gets.
  public let secret: APIKeySecret
  /// The key that it takes the place of, with the end that it has now; nil for one made anew.
  public let replaced: APIKey?
}

/// A project's derived key, for a verifier outside.
public struct ExportedSigningKey: Sendable {
  /// The signing key that it is derived from.
  public let id: SigningKeyID
  /// Where that one stands in its life.
  public let state: SigningKey.State
  /// The 32 derived bytes.
  public let secret: [UInt8]
}

/// What a rotation of the master key did.
public struct MasterKeyRotation: Sendable {
  /// The id of the key that seals from now on.
  public let keyID: String
  /// How many secrets were sealed anew.
  public let resealed: Int
}

/// How much a database takes on disk, in bytes.
public struct DatabaseSizes: Sendable, Equatable {
  /// The database itself.
  public let database: Int
  /// The write-ahead log: what was changed since it was last brought into the database.
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

/// What to do with a catalogue file.
public struct ImportManner: Sendable {
  /// Whether businesses that are not in the file are deactivated.
  public var prunes: Bool
  /// Whether to find out only what would change.
  public var isDryRun: Bool
  /// Whether what the import takes away may go without asking.
  public var mayErase: Bool

  /// Chooses what to do; adds and changes only, and asks, unless told otherwise.
  public init(prunes: Bool = false, isDryRun: Bool = false, mayErase: Bool = false) {
    self.prunes = prunes
    self.isDryRun = isDryRun
    self.mayErase = mayErase
  }
}

/// What an import did.
public struct ImportSummary: Sendable, Equatable {
  /// Businesses that were not there.
  public var added = 0
  /// Businesses that said something else.
  public var changed = 0
  /// Businesses that said the same.
  public var unchanged = 0
  /// Of those that were changed, businesses that lost something that was said of them.
  public var erased = 0
  /// Active businesses that were deactivated: those that the file says are not active, which count as
  /// changed too, and those that it lacks.
  public var deactivated = 0
  /// Active businesses that were not in the file and were left as they are.
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

/// Which businesses to search for or to list.
public struct BusinessQuery: Sendable {
  /// Businesses on a page at the most and by default.
  public static let limits = 1...200
  /// See `limits`.
  public static let defaultLimit = 50

  /// What to search for; nil or blank for the whole list by name.
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

  /// Whether something is searched for: then each business found has a `match`, and `after` a rank.
  public var isSearch: Bool { !CatalogSearch.isBlank(text ?? "") }
}

/// A place in the list of businesses; it stays right while the catalogue changes.
public struct BusinessPosition: Sendable, Equatable {
  /// How well the business matched; nil in a list that was not searched.
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
  /// Where the next page begins; nil on the last.
  public let next: BusinessPosition?
  /// How many there are on all pages.
  public let total: Int

  /// Puts a page together.
  package init(items: [Item], next: BusinessPosition?, total: Int) {
    self.items = items
    self.next = next
    self.total = total
  }
}

/// What the audit log says of a launch that an admin issued.
public struct LaunchRecord: Sendable {
  /// The launch.
  public let id: LaunchID
  /// The user, who is written down as a digest only.
  public let userID: String
  /// The web view's platform.
  public let platform: Platform
  /// The page that was asked for; nil for the start page or a raw path.
  public let page: String?
  /// Where it leads, nil for the start page; of a raw path without its query, which may hold a secret.
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
