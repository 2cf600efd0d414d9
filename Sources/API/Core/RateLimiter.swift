internal import Domain
internal import HTTPServer
internal import JSON
internal import Platform

/// Token buckets, one a project: each gains `rateLimit` tokens a second and holds twice as many.
///
/// Buckets are sharded by project, so that two projects rarely contend for a lock.
final class RateLimiter: Sendable {
  /// The state of a bucket after tokens were asked for.
  struct Reading: Sendable {
    /// Whether the tokens were taken.
    let isAllowed: Bool
    /// Whole tokens that are left.
    let remaining: Int
    /// Tokens in a full bucket.
    let capacity: Int
    /// Seconds until it is full again, rounded up.
    let secondsToFull: Int
    /// Seconds until the bucket has the tokens that were asked for, rounded up; at least 1.
    let retryAfter: Int
  }

  /// Seconds that an empty bucket takes to fill.
  static let window = 2

  private struct Bucket {
    /// In thousandths: a rate of r a second is r thousandths a millisecond.
    var millitokens: Int64
    var updatedAt: Timestamp

    mutating func take(
      _ price: Int64, full: Int64, rate: Int64, at now: Timestamp
    ) -> (isAllowed: Bool, left: Int64) {
      let elapsed = max(0, now.milliseconds - updatedAt.milliseconds)
      // A bucket fills within the window, so that a longer time cannot overflow the product.
      millitokens = min(full, millitokens + rate * min(elapsed, Int64(RateLimiter.window) * 1000))
      updatedAt = now
      let isAllowed = millitokens >= price
      if isAllowed { millitokens -= price }
      return (isAllowed, millitokens)
    }
  }

  private let shards = (0..<64).map { _ in Locked<[ProjectID: Bucket]>([:]) }

  static func capacity(of project: Project) -> Int { project.rateLimit * window }

  /// Takes `cost` tokens, or none if there are fewer; a cost of 0 only reads the bucket.
  func take(_ cost: Int, of project: Project, at now: Timestamp) -> Reading {
    let rate = Int64(project.rateLimit)
    let full = Int64(Self.capacity(of: project)) * 1000
    let price = Int64(cost) * 1000
    let shard = shards[Int(project.id.spread % UInt(shards.count))]
    let (isAllowed, left) = shard.withLock { buckets -> (Bool, Int64) in
      let new = Bucket(millitokens: full, updatedAt: now)
      return buckets[project.id, default: new].take(price, full: full, rate: rate, at: now)
    }
    let seconds: (Int64) -> Int = { millitokens in
      Int((max(0, millitokens) + rate * 1000 - 1) / (rate * 1000))
    }
    return Reading(
      isAllowed: isAllowed, remaining: Int(left / 1000), capacity: Self.capacity(of: project),
      secondsToFull: seconds(full - left), retryAfter: max(1, seconds(price - left)))
  }

  /// Gives back the tokens of a request that was then refused as a whole.
  func refund(_ tokens: Int, to project: Project) {
    let full = Int64(Self.capacity(of: project)) * 1000
    let shard = shards[Int(project.id.spread % UInt(shards.count))]
    shard.withLock { buckets in
      guard let bucket = buckets[project.id] else { return }
      buckets[project.id]?.millitokens = min(full, bucket.millitokens + Int64(tokens) * 1000)
    }
  }
}

extension RateLimiter.Reading {
  /// Adds the fields of draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4.
  ///
  /// String interpolation took 4,500 instructions for them, more than the limit itself.
  func addHeaders(to response: inout Response) {
    response.headers.reserveCapacity(response.headers.count + 2)
    response.headers.append(
      ("RateLimit-Policy", Self.item("q=", capacity, ";w=", RateLimiter.window)))
    response.headers.append(("RateLimit", Self.item("r=", remaining, ";t=", secondsToFull)))
  }

  private static func item(
    _ first: StaticString, _ firstValue: Int, _ second: StaticString, _ secondValue: Int
  ) -> String {
    ByteWriter.string(capacity: 64) { text in
      text.append("\"launch\";")
      text.append(first)
      text.append(decimal: Int64(firstValue))
      text.append(second)
      text.append(decimal: Int64(secondValue))
    }
  }
}
