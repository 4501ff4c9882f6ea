// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import LocationServices
public import Pipeline
public import Positioning

/// Holds locations that are too near to the one that passed last; the first passes.
///
/// Distances are along the geodesic on WGS 84, without the height.
public struct DistanceGate: GateRule, Equatable {
  private static let minMeters = SettingKey.number(
    "min_meters", in: 0...20_000_000, default: 100,
    summary: "how far a location is from the one that passed before it, at least")

  /// The catalogue's entry.
  package static let plugin = GatePlugin(
    name: "distance", summary: "holds what is nearer than a distance to what passed last",
    settings: [minMeters.declaration],
    make: { settings, context throws(SettingsError) in
      RuleGate("distance", DistanceGate(minMeters: try settings.value(of: minMeters)), context.now)
    })

  /// The least distance that passes, in metres.
  public let minMeters: Double
  private var last: Coordinate?

  /// Makes a gate that nothing has passed.
  ///
  /// - Parameter minMeters: The least distance that passes, in metres.
  public init(minMeters: Double) { self.minMeters = minMeters }

  /// Decides on a location.
  ///
  /// - Parameters:
  ///   - location: The location.
  ///   - now: Not looked at.
  /// - Returns: Passes, or holds for `tooNear`.
  public mutating func verdict(on location: Location, at now: MonotonicTime) -> Verdict {
    if let last, last.distanceMeters(to: location.coordinate) < minMeters {
      return .holds(reason: "tooNear")
    }
    last = location.coordinate
    return .passes
  }
}
