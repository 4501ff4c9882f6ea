// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// An in-memory cache of reusable replies and refused configurations.
struct LookupMemory: Equatable, Sendable {
  private struct CachedReply: Equatable {
    var reply: WeatherReply
    var until: MonotonicTime
  }

  private struct Refusal: Equatable {
    var configuration: WeatherProviderConfiguration
    var reason: String
    /// The end of the refusal, or `nil` if the refusal is permanent.
    var until: MonotonicTime?
  }

  /// The time after which a refused configuration is retried: a day.
  static let refusalNanoseconds: Int64 = 86_400 * 1_000_000_000

  /// The maximum number of cached replies, enough for eight cells with two reusable replies each.
  static let limit = 16
  /// The maximum size of a cached reply in bytes.
  ///
  /// A list of weather stations has 45 kB.
  static let maxBytes = 1 << 17

  private var replies: [String: CachedReply] = [:]
  private var refusals: [String: Refusal] = [:]

  func cachedReply(for url: String, now: MonotonicTime) -> WeatherReply? {
    guard let entry = replies[url], now < entry.until else { return nil }
    return entry.reply
  }

  mutating func cache(
    _ reply: WeatherReply, for url: String, seconds: Double, now: MonotonicTime
  ) {
    guard seconds > 0, seconds <= 31 * 86_400, reply.body.count <= Self.maxBytes else { return }
    replies[url] = CachedReply(
      reply: reply, until: now.advanced(byNanoseconds: Int64(seconds * 1e9)))
    guard replies.count > Self.limit,
      let first = replies.min(by: { $0.value.until < $1.value.until })
    else { return }
    replies[first.key] = nil
  }

  mutating func removeReplies(under baseURL: String) {
    replies = replies.filter { !$0.key.hasPrefix(baseURL) }
  }

  func refusal(
    of configuration: WeatherProviderConfiguration, by name: String, now: MonotonicTime
  ) -> String? {
    guard let refusal = refusals[name], refusal.configuration == configuration else { return nil }
    if let until = refusal.until, until <= now { return nil }
    return refusal.reason
  }

  /// Stores a refusal, and discards an earlier refusal by the same provider.
  mutating func storeRefusal(
    of configuration: WeatherProviderConfiguration, by name: String, reason: String,
    until: MonotonicTime?
  ) {
    refusals[name] = Refusal(configuration: configuration, reason: reason, until: until)
  }
}
