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
  /// The number of keys above which the next search for full buckets runs.
  private var searchCount = Self.maxKeys

  /// Makes a limit with full buckets.
  package init(burst: Int, perSecond: Double) {
    self.burst = Double(burst)
    self.perSecond = perSecond
  }

  /// The number of keys with a stored bucket.
  package var keyCount: Int { buckets.count }

  /// Takes one token from the bucket of a key; returns false if the bucket is empty.
  package mutating func take(from key: Key, at now: MonotonicTime) -> Bool {
    guard hasToken(for: key, at: now) else { return false }
    charge(1, to: key, at: now)
    return true
  }

  /// Whether the bucket of a key has a token.
  package func hasToken(for key: Key, at now: MonotonicTime) -> Bool { left(for: key, now) >= 1 }

  /// Takes tokens whose number was unknown before; the bucket may then owe tokens.
  package mutating func charge(_ count: Int, to key: Key, at now: MonotonicTime) {
    if buckets.count > searchCount {
      buckets = buckets.filter { tokens(in: $0.value, at: now) < burst }
      searchCount = max(Self.maxKeys, 2 * buckets.count)
    }
    buckets[key] = (left(for: key, now) - Double(count), now)
  }

  private func left(for key: Key, _ now: MonotonicTime) -> Double {
    buckets[key].map { tokens(in: $0, at: now) } ?? burst
  }

  private func tokens(
    in bucket: (tokens: Double, at: MonotonicTime), at now: MonotonicTime
  ) -> Double {
    min(burst, bucket.tokens + max(now.seconds(since: bucket.at), 0) * perSecond)
  }
}
