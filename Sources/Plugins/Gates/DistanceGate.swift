// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import LocationServices
package import Pipeline
package import Positioning

/// Holds locations that are too near to the one that passed last; the first passes.
///
/// Distances are along the geodesic on WGS 84, without the height.
package struct DistanceGate: GateRule, Equatable {
  private static let minMeters = SettingKey.number(
    "min_meters", in: 0...20_000_000, default: 100,
    summary: "how far a location is from the one that passed before it, at least")

  /// The catalogue's entry.
  package static let plugin = Plugin.gate(
    "distance", "holds what is nearer than a distance to what passed last",
    [minMeters.declaration],
    make: { settings, context throws(SettingsError) in
      RuleGate("distance", DistanceGate(minMeters: try settings.value(of: minMeters)), context.now)
    })

  /// The least distance that passes, in metres.
  package let minMeters: Double
  private var last: Coordinate?

  package init(minMeters: Double) { self.minMeters = minMeters }

  /// Decides on a location.
  package mutating func verdict(on location: Location, at now: MonotonicTime) -> Verdict {
    if let last, last.distanceMeters(to: location.coordinate) < minMeters {
      return .holds(reason: "tooNear")
    }
    last = location.coordinate
    return .passes
  }
}
