// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// What lookups remember from one to the next: answers that hold for a place, and configurations
/// that were refused.
struct LookupMemory: Equatable, Sendable {
  private struct Kept: Equatable {
    var reply: WeatherReply
    var until: MonotonicTime
  }

  private struct Refusal: Equatable {
    var configuration: WeatherProviderConfiguration
    var reason: String
    /// `nil` for good.
    var until: MonotonicTime?
  }

  /// The time after which a refused configuration is tried again.
  static let refusalNanoseconds: Int64 = 86_400 * 1_000_000_000

  /// Eight cells of a provider that has two such answers for each; going on is asking anew.
  static let limit = 16
  /// A list of stations has 45 kB; what is larger is asked for every time.
  static let maxBytes = 1 << 17

  private var kept: [String: Kept] = [:]
  private var refusals: [String: Refusal] = [:]

  func recall(_ url: String, now: MonotonicTime) -> WeatherReply? {
    guard let entry = kept[url], now < entry.until else { return nil }
    return entry.reply
  }

  mutating func remember(
    _ reply: WeatherReply, for url: String, seconds: Double, now: MonotonicTime
  ) {
    guard seconds > 0, seconds <= 31 * 86_400, reply.body.count <= Self.maxBytes else { return }
    kept[url] = Kept(reply: reply, until: now.advanced(byNanoseconds: Int64(seconds * 1e9)))
    guard kept.count > Self.limit, let first = kept.min(by: { $0.value.until < $1.value.until })
    else { return }
    kept[first.key] = nil
  }

  mutating func forget(under baseURL: String) {
    kept = kept.filter { !$0.key.hasPrefix(baseURL) }
  }

  func refusal(
    of configuration: WeatherProviderConfiguration, by name: String, now: MonotonicTime
  ) -> String? {
    guard let refusal = refusals[name], refusal.configuration == configuration else { return nil }
    if let until = refusal.until, until <= now { return nil }
    return refusal.reason
  }

  /// One configuration a name: another one in its place is a change.
  mutating func refused(
    _ configuration: WeatherProviderConfiguration, by name: String, reason: String,
    until: MonotonicTime?
  ) {
    refusals[name] = Refusal(configuration: configuration, reason: reason, until: until)
  }
}
