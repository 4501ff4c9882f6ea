// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import LocationServices
package import Pipeline
package import Positioning

/// Holds locations whose accuracy is insufficient or unknown.
package struct AccuracyGate: GateRule, Equatable {
  private static let maxMeters = SettingKey.number(
    "max_meters", in: 0...100_000, default: 50,
    summary: "largest accepted accuracy radius (68 % probability)")

  /// The plugin's entry in the catalogue.
  package static let plugin = Plugin.gate(
    "accuracy", "holds locations with a large or unknown accuracy radius",
    [maxMeters.declaration],
    make: { settings, context throws(SettingsError) in
      RuleGate("accuracy", AccuracyGate(maxMeters: try settings.value(of: maxMeters)), context.now)
    })

  /// The largest accuracy radius that passes, in metres.
  ///
  /// The accuracy radius contains the true position with a probability of 68 %.
  package let maxMeters: Double

  package init(maxMeters: Double) { self.maxMeters = maxMeters }

  /// Decides whether to pass a location.
  package mutating func verdict(on location: Location, at now: MonotonicTime) -> Verdict {
    guard let meters = location.horizontalAccuracyMeters else {
      return .holds(reason: "accuracyUnknown")
    }
    return meters <= maxMeters ? .passes : .holds(reason: "inaccurate")
  }
}
