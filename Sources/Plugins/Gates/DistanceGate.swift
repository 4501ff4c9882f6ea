// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import LocationServices
package import Pipeline
package import Positioning

/// Holds locations that are too close to the last location that passed; the first location passes.
///
/// Distances are along the geodesic on WGS 84; altitudes are ignored.
package struct DistanceGate: GateRule, Equatable {
  private static let minMeters = SettingKey.number(
    "min_meters", in: 0...20_000_000, default: 100,
    summary: "minimum distance to the last location that passed")

  /// The plugin's entry in the catalogue.
  package static let plugin = Plugin.gate(
    "distance", "holds locations that are too close to the last location that passed",
    [minMeters.declaration],
    make: { settings, context throws(SettingsError) in
      RuleGate("distance", DistanceGate(minMeters: try settings.value(of: minMeters)), context.now)
    })

  /// The minimum distance that passes, in metres.
  package let minMeters: Double
  private var last: Coordinate?

  package init(minMeters: Double) { self.minMeters = minMeters }

  /// Decides whether to pass a location.
  package mutating func verdict(on location: Location, at now: MonotonicTime) -> Verdict {
    if let last, last.distanceMeters(to: location.coordinate) < minMeters {
      return .holds(reason: "tooNear")
    }
    last = location.coordinate
    return .passes
  }
}
