// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport

/// The stored request ledger of one provider: request counts, pauses and refusals.
///
/// Survives restarts of the program.
struct ProviderUsage: Equatable, Codable, Sendable {
  /// The request counts of the last day.
  var window: RequestWindow
  /// The time of the last request.
  var lastRequest: BootTimestamp?
  /// The number of failed lookups since the last success.
  var failures = 0
  /// The current or last pause.
  var pause: Pause?
  /// The fingerprint of the configuration that the provider refused.
  ///
  /// No request is sent with it.
  var refusedConfiguration: String?

  /// The lookup in progress, of this program or another one that shares the store.
  var asking: Asking?

  struct Asking: Equatable, Codable, Sendable {
    /// The centre of the cell that is looked up.
    var coordinate: Coordinate
    var began: BootTimestamp
    /// The maximum duration of the lookup.
    var seconds: Double
  }

  struct Pause: Equatable, Codable, Sendable {
    var began: BootTimestamp
    var seconds: Double
    /// The configuration that the pause applies to.
    ///
    /// `nil` if the server requested the pause: it then applies to every configuration.
    var configuration: String?
    /// The reason as a predicate of the provider's name; `nil` for a back-off after a failure.
    var reason: String?

    /// Whether the provider requested the pause.
    var isRequested: Bool { configuration == nil }
  }

  /// The maximum number of requests that a lookup has sent.
  var maxRequests: Int?

  /// Returns the number of requests to reserve for a lookup: the number of requests of the
  /// protocol, or the maximum that a lookup has sent, including redirects.
  func reservedRequests(for rule: ProviderRules) -> Int {
    min(max(1, maxRequests ?? 1, rule.requestsPerLookup), WeatherLookup.maxRequests)
  }

  /// Whether a lookup for a place nearby is in progress.
  ///
  /// The lookup of a program that was killed counts until its maximum duration has passed.
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

  /// Returns the remaining seconds of a period, or 0 if it is over.
  ///
  /// Returns the whole period if the elapsed time cannot be determined.
  static func remaining(of seconds: Double, since began: BootTimestamp, now: BootTimestamp)
    -> Double
  {
    guard seconds > 0 else { return 0 }
    guard let elapsed = now.plausibleSeconds(since: began) else { return seconds }
    // Timestamps are whole seconds: a difference of 60 may be slightly more than 59.
    return max(0, seconds + 1 - Double(elapsed))
  }

  /// Converts all timestamps to the current boot.
  ///
  /// A timestamp whose age cannot be determined is set to `now`, so that pauses end eventually.
  mutating func rebase(to now: BootTimestamp) {
    window.advance(to: now)
    lastRequest = lastRequest.map { $0.rebased(to: now) ?? now }
    if let pause { self.pause?.began = pause.began.rebased(to: now) ?? now }
  }
}
