// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport

/// The stored request ledger of one provider: request counts, pauses and refusals.
///
/// The ledger survives restarts of the program.
struct ProviderUsage: Equatable, Codable, Sendable {
  /// The request counts of the last day.
  var window: RequestWindow
  /// The time of the last request.
  var lastRequest: BootTimestamp?
  /// The times of the newest lookups of typed places, which do not count as the last request.
  var typedLookups: [BootTimestamp]?
  /// The number of failed lookups since the last success.
  var failures = 0
  /// The current or last pause.
  var pause: Pause?
  /// The fingerprint of the configuration that the provider refused.
  ///
  /// No request is sent with this configuration.
  var refusedConfiguration: String?

  /// The lookup in progress, by this program or by another program that shares the store.
  var asking: Asking?

  struct Asking: Equatable, Codable, Sendable {
    /// The centre of the cell whose weather is looked up.
    var coordinate: Coordinate
    var began: BootTimestamp
    /// The maximum duration of the lookup in seconds.
    var seconds: Double
  }

  struct Pause: Equatable, Codable, Sendable {
    var began: BootTimestamp
    var seconds: Double
    /// The fingerprint of the configuration to which the pause applies.
    ///
    /// If the server requested the pause, the value is `nil` and the pause applies to every
    /// configuration.
    var configuration: String?
    /// The reason, to be shown after the provider's name; `nil` for a back-off after a failure.
    var reason: String?
    /// The conditions of a failed connection, whose change ends the pause; `nil` if no change does.
    var conditions: LookupConditions?

    /// Whether the provider requested the pause.
    var isRequested: Bool { configuration == nil }
  }

  /// The highest number of requests that a lookup has sent.
  var maxRequests: Int?

  /// Returns the number of requests to reserve for a lookup.
  ///
  /// This is the number that the protocol needs, or the highest number of requests that a lookup
  /// has sent, including redirects.
  func reservedRequests(for rule: ProviderRules) -> Int {
    min(max(1, maxRequests ?? 1, rule.requestsPerLookup), WeatherLookup.maxRequests)
  }

  /// Whether a lookup near a coordinate is in progress.
  ///
  /// If a program was killed during a lookup, the lookup is treated as in progress until its
  /// maximum duration has passed.
  func isLookingUp(near coordinate: Coordinate, withinMeters meters: Double, now: BootTimestamp)
    -> Bool
  {
    guard let asking, asking.began.boot == now.boot,
      let elapsed = now.seconds(since: asking.began)
    else { return false }
    return elapsed >= 0 && Double(elapsed) <= asking.seconds
      && asking.coordinate.distanceMeters(to: coordinate) <= meters
  }

  init(at now: BootTimestamp) { window = RequestWindow(at: now) }

  /// Returns the remaining seconds of a period, or 0 if the period has ended.
  ///
  /// Returns the whole period if the elapsed time cannot be determined.
  static func remaining(of seconds: Double, since began: BootTimestamp, now: BootTimestamp)
    -> Double
  {
    guard seconds > 0 else { return 0 }
    guard let elapsed = now.plausibleSeconds(since: began) else { return seconds }
    // Timestamps are whole seconds, so the actual difference may be up to a second smaller.
    return max(0, seconds + 1 - Double(elapsed))
  }

  /// Converts all timestamps to the current boot.
  ///
  /// A timestamp whose age cannot be determined is set to `now`, so that no pause lasts forever.
  mutating func rebase(to now: BootTimestamp) {
    window.advance(to: now)
    lastRequest = lastRequest.map { $0.rebased(to: now) ?? now }
    typedLookups = typedLookups?.map { $0.rebased(to: now) ?? now }
    if let pause { self.pause?.began = pause.began.rebased(to: now) ?? now }
  }
}
