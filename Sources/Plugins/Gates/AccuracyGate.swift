// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import LocationServices
package import Pipeline
package import Positioning

/// Holds locations that are not accurate enough, and those whose accuracy is not known.
package struct AccuracyGate: GateRule, Equatable {
  private static let maxMeters = SettingKey.number(
    "max_meters", in: 0...100_000, default: 50,
    summary: "the radius that holds the true position two times out of three, at most")

  /// The catalogue's entry.
  package static let plugin = Plugin.gate(
    "accuracy", "holds what is less accurate than a radius, or nobody knows how",
    [maxMeters.declaration],
    make: { settings, context throws(SettingsError) in
      RuleGate("accuracy", AccuracyGate(maxMeters: try settings.value(of: maxMeters)), context.now)
    })

  /// The largest radius that passes, in metres; it holds the true position in 68 % of cases.
  package let maxMeters: Double

  package init(maxMeters: Double) { self.maxMeters = maxMeters }

  /// Decides on a location.
  package mutating func verdict(on location: Location, at now: MonotonicTime) -> Verdict {
    guard let meters = location.horizontalAccuracyMeters else {
      return .holds(reason: "accuracyUnknown")
    }
    return meters <= maxMeters ? .passes : .holds(reason: "inaccurate")
  }
}
