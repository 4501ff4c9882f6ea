// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning

/// A simulated sky whose satellites rise and set; the sky is the same at every position.
struct SimulatedSky: Sendable {
  /// A satellite above the horizon.
  struct Satellite: Equatable {
    var id: SatelliteID
    var elevationDegrees: Double
    var azimuthDegrees: Double
    /// The signal strength; `nil` if the satellite is too low to be tracked.
    var signalDBHz: Double?
    var isUsed: Bool
  }

  /// The dilutions of precision for a number of evenly distributed satellites.
  struct Dilution: Equatable {
    let east: Double
    let north: Double
    let vertical: Double

    var horizontal: Double { (east * east + north * north).squareRoot() }
    var position: Double { (horizontal * horizontal + vertical * vertical).squareRoot() }

    /// Makes the dilutions; `nil` for fewer than four satellites.
    init?(satelliteCount: Int) {
      guard satelliteCount >= 4 else { return nil }
      let share = 1 / Double(satelliteCount).squareRoot()
      (east, north, vertical) = (1.9 * share, 2.2 * share, 3.8 * share)
    }
  }

  /// The satellite systems with their orbital period in seconds.
  private static let systems: [(SatelliteID.System, period: Double)] = [
    (.gps, 43_082), (.glonass, 40_544), (.galileo, 50_685),
  ]
  /// The number of satellites per system; about half of them are visible, which is fewer than the
  /// 12 fields of a GSA.
  private static let satellitesPerSystem = 16
  /// The elevations in degrees above which satellites are reported, tracked and used.
  private static let (horizon, trackedFrom, usedFrom) = (5.0, 7.0, 10.0)

  /// A phase added to all satellites, so that each seed has a different sky.
  let phaseRadians: Double

  /// Returns the satellites above the horizon, ordered by system and number.
  func satellites(at time: UTCTime) -> [Satellite] {
    let seconds = Double(time.secondsSince1970) + Double(time.nanosecond) / 1e9
    var seen: [Satellite] = []
    for (system, period) in Self.systems {
      for index in 0..<Self.satellitesPerSystem {
        let turns = (seconds / period).truncatingRemainder(dividingBy: 1)
        let place = Double(index) / Double(Self.satellitesPerSystem)
        let elevation = 90 * sin(2 * .pi * (turns + place) + phaseRadians)
        guard elevation >= Self.horizon else { continue }
        // The golden angle distributes consecutive satellites over the horizon. During a pass,
        // which takes half a period, a satellite moves by 180 degrees.
        let azimuth = (Double(index) * 137.5 + 360 * turns).truncatingRemainder(dividingBy: 360)
        // Reception is best overhead; the last term simulates fading by reflections.
        let signal =
          26 + 21 * sin(elevation * (.pi / 180)).squareRoot() + 2.5 * sin(seconds / 97 + place)
        seen.append(
          Satellite(
            id: SatelliteID(system: system, number: UInt8(clamping: index + 1)),
            elevationDegrees: elevation, azimuthDegrees: azimuth,
            signalDBHz: elevation >= Self.trackedFrom ? signal : nil,
            isUsed: elevation >= Self.usedFrom))
      }
    }
    return seen
  }
}
