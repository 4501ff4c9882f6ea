// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import LocationServices
package import Pipeline
package import Positioning

/// Holds locations that come too soon after the one that passed last; the first passes.
///
/// What is held is not released later: by then a newer location has come.
package struct IntervalGate: GateRule, Equatable {
  private static let minSeconds = SettingKey.number(
    "min_seconds", in: 0...86_400, default: 60,
    summary: "what lies between two locations that pass, at least")

  /// The catalogue's entry.
  package static let plugin = Plugin.gate(
    "interval", "holds what comes sooner than a time after what passed last",
    [minSeconds.declaration],
    make: { settings, context throws(SettingsError) in
      RuleGate(
        "interval", IntervalGate(minSeconds: try settings.value(of: minSeconds)), context.now)
    })

  /// What lies between two that pass, in seconds by a clock that never jumps, at least.
  package let minSeconds: Double
  private var last: MonotonicTime?

  package init(minSeconds: Double) { self.minSeconds = minSeconds }

  /// Decides on a location.
  package mutating func verdict(on location: Location, at now: MonotonicTime) -> Verdict {
    if let last, now.seconds(since: last) < minSeconds { return .holds(reason: "tooSoon") }
    last = now
    return .passes
  }
}
