// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import LocationServices
package import Pipeline
package import Positioning

/// Holds locations that arrived too long ago or whose arrival time is unknown.
///
/// The age is the time since the arrival, measured on the monotonic clock. The wall clock and the
/// receiver's time are not used.
package struct AgeGate: GateRule, Equatable {
  private static let maxSeconds = SettingKey.number(
    "max_seconds", in: 0...86_400, default: 30,
    summary: "largest accepted time since the arrival")

  /// The plugin's entry in the catalogue.
  package static let plugin = Plugin.gate(
    "age", "holds locations that arrived too long ago",
    [maxSeconds.declaration],
    make: { settings, context throws(SettingsError) in
      RuleGate("age", AgeGate(maxSeconds: try settings.value(of: maxSeconds)), context.now)
    })

  /// The maximum age that passes, in seconds since the arrival.
  package let maxSeconds: Double

  package init(maxSeconds: Double) { self.maxSeconds = maxSeconds }

  /// Decides whether to pass a location.
  package mutating func verdict(on location: Location, at now: MonotonicTime) -> Verdict {
    guard let receivedAt = location.receivedAt else { return .holds(reason: "ageUnknown") }
    return now.seconds(since: receivedAt) <= maxSeconds ? .passes : .holds(reason: "tooOld")
  }
}
