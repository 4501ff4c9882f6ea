// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// A rate limit with a token bucket for each key: a burst, followed by a number of tokens per
/// second.
package struct RateLimit<Key: Hashable & Sendable>: Sendable {
  /// The number of keys above which the keys with a full bucket are removed.
  private static var maxKeys: Int { 256 }

  private let burst: Double
  private let perSecond: Double
  private var buckets: [Key: (tokens: Double, at: MonotonicTime)] = [:]

  /// Makes a limit with full buckets.
  package init(burst: Int, perSecond: Double) {
    self.burst = Double(burst)
    self.perSecond = perSecond
  }

  /// The number of keys with a stored bucket.
  package var keyCount: Int { buckets.count }

  /// Takes one token from the bucket of a key; returns false if the bucket is empty.
  package mutating func take(from key: Key, at now: MonotonicTime) -> Bool {
    if buckets.count > Self.maxKeys {
      buckets = buckets.filter { tokens(in: $0.value, at: now) < burst }
    }
    let left = buckets[key].map { tokens(in: $0, at: now) } ?? burst
    guard left >= 1 else { return false }
    buckets[key] = (left - 1, now)
    return true
  }

  private func tokens(
    in bucket: (tokens: Double, at: MonotonicTime), at now: MonotonicTime
  ) -> Double {
    min(burst, bucket.tokens + max(now.seconds(since: bucket.at), 0) * perSecond)
  }
}
