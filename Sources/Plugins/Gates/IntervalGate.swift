// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import LocationServices
package import Pipeline
package import Positioning

/// Holds locations that arrive too soon after the last location that passed; the first location
/// passes.
///
/// A held location is not released later, because a newer location will have arrived by then.
package struct IntervalGate: GateRule, Equatable {
  private static let minSeconds = SettingKey.number(
    "min_seconds", in: 0...86_400, default: 60,
    summary: "minimum time between two passed locations")

  /// The plugin's entry in the catalogue.
  package static let plugin = Plugin.gate(
    "interval", "holds locations that arrive too soon after the last location that passed",
    [minSeconds.declaration],
    make: { settings, context throws(SettingsError) in
      RuleGate(
        "interval", IntervalGate(minSeconds: try settings.value(of: minSeconds)), context.now)
    })

  /// The minimum time between two passed locations, in seconds on the monotonic clock.
  package let minSeconds: Double
  private var last: MonotonicTime?

  package init(minSeconds: Double) { self.minSeconds = minSeconds }

  /// Decides whether to pass a location.
  package mutating func verdict(on location: Location, at now: MonotonicTime) -> Verdict {
    if let last, now.seconds(since: last) < minSeconds { return .holds(reason: "tooSoon") }
    last = now
    return .passes
  }
}
