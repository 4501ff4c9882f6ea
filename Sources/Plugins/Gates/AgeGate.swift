// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import LocationServices
package import Pipeline
package import Positioning

/// Holds locations that arrived too long ago, and those of which nobody knows when.
///
/// Ages count from the arrival, by a clock that never jumps: neither the board's wall clock nor the
/// receiver's date is asked.
package struct AgeGate: GateRule, Equatable {
  private static let maxSeconds = SettingKey.number(
    "max_seconds", in: 0...86_400, default: 30,
    summary: "how long ago a location arrived, at most")

  /// The catalogue's entry.
  package static let plugin = Plugin.gate(
    "age", "holds what arrived longer ago than a time",
    [maxSeconds.declaration],
    make: { settings, context throws(SettingsError) in
      RuleGate("age", AgeGate(maxSeconds: try settings.value(of: maxSeconds)), context.now)
    })

  /// The greatest age that passes, in seconds since the arrival.
  package let maxSeconds: Double

  package init(maxSeconds: Double) { self.maxSeconds = maxSeconds }

  /// Decides on a location.
  package mutating func verdict(on location: Location, at now: MonotonicTime) -> Verdict {
    guard let receivedAt = location.receivedAt else { return .holds(reason: "ageUnknown") }
    return now.seconds(since: receivedAt) <= maxSeconds ? .passes : .holds(reason: "tooOld")
  }
}
