// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport

/// What is known of one provider, so that it is asked no more than it allows: kept over restarts.
struct ProviderUsage: Equatable, Codable, Sendable {
  /// Requests of the last day.
  var window: RequestWindow
  /// When the last request went out.
  var lastRequest: BootTimestamp?
  /// How many lookups failed since the last that did not.
  var failures = 0
  /// Since when it is left alone, and for how many seconds.
  var pause: Pause?
  /// The configuration that it refused; while that is the same, asking again is no use.
  var refusedConfiguration: String?

  /// The lookup that is being made, by whichever program.
  var asking: Asking?

  struct Asking: Equatable, Codable, Sendable {
    /// The cell that it is for.
    var coordinate: Coordinate
    var began: BootTimestamp
    /// How long it may take.
    var seconds: Double
  }

  struct Pause: Equatable, Codable, Sendable {
    var began: BootTimestamp
    var seconds: Double
    /// The configuration that it is for; `nil` for a rest that the server asked for, which no other
    /// configuration of ours ends.
    var configuration: String?
    /// Why, in words that follow the provider's name; `nil` for a failure.
    var reason: String?

    /// Whether the provider asked for it.
    var isAskedFor: Bool { configuration == nil }
  }

  /// The most requests that a lookup has taken: what is set aside for the next.
  var maxRequests: Int?

  /// How many requests are set aside for a lookup: as many as the protocol has questions, and as
  /// any lookup has taken so far with its redirections.
  func requestsSetAside(by rule: ProviderRules) -> Int {
    min(max(1, maxRequests ?? 1, rule.requestsPerLookup), WeatherLookup.maxRequests)
  }

  /// Whether a lookup is being made for a place nearby, as far as can be told: a program that was
  /// killed makes none, which nobody knows before its time is over.
  func isAsking(near coordinate: Coordinate, withinMeters meters: Double, now: BootTimestamp)
    -> Bool
  {
    guard let asking, asking.began.boot == now.boot,
      let elapsed = now.seconds(since: asking.began)
    else { return false }
    return elapsed >= 0 && Double(elapsed) <= asking.seconds
      && asking.coordinate.distanceMeters(to: coordinate) <= meters
  }

  init(at now: BootTimestamp) { window = RequestWindow(at: now) }

  /// How much of a stretch of time is left.
  ///
  /// - Returns: Seconds; 0 where it is over. A stretch whose beginning lies in the future, as the
  ///   wall clock has it after a boot, has not begun to pass.
  static func remaining(of seconds: Double, since began: BootTimestamp, now: BootTimestamp)
    -> Double
  {
    guard seconds > 0 else { return 0 }
    guard let elapsed = now.plausibleSeconds(since: began) else { return seconds }
    // Both ends are whole seconds: what looks like 60 may be 59 and a bit.
    return max(0, seconds + 1 - Double(elapsed))
  }

  /// Sets what began in a future that the clocks no longer know to begin now, so that it passes, and
  /// all else to when it was by the clocks as they are.
  mutating func rebase(to now: BootTimestamp) {
    window.advance(to: now)
    lastRequest = lastRequest.map { $0.rebased(to: now) ?? now }
    if let pause { self.pause?.began = pause.began.rebased(to: now) ?? now }
  }
}
