// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// A token bucket for each of many keys: so many at once, and so many a second from then on.
package struct RateLimit<Key: Hashable & Sendable>: Sendable {
  /// Keys above this count are forgotten once their bucket is full again.
  private static var maxKeys: Int { 256 }

  private let burst: Double
  private let perSecond: Double
  private var buckets: [Key: (tokens: Double, at: MonotonicTime)] = [:]

  /// Makes one whose buckets are full.
  package init(burst: Int, perSecond: Double) {
    self.burst = Double(burst)
    self.perSecond = perSecond
  }

  /// Keys that are remembered.
  package var keyCount: Int { buckets.count }

  /// Takes one token of a key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - now: The present reading of the clock that never jumps.
  /// - Returns: Whether one was left.
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
