// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning

/// A sky whose satellites rise and set: the same everywhere, and different for each phase.
struct SimulatedSky: Sendable {
  /// A satellite above the horizon.
  struct Satellite: Equatable {
    var id: SatelliteID
    var elevationDegrees: Double
    var azimuthDegrees: Double
    /// Unknown while the satellite is too low to be tracked.
    var signalDBHz: Double?
    var isUsed: Bool
  }

  /// The dilutions of precision that a number of evenly spread satellites gives.
  struct Dilution: Equatable {
    let east: Double
    let north: Double
    let vertical: Double

    var horizontal: Double { (east * east + north * north).squareRoot() }
    var position: Double { (horizontal * horizontal + vertical * vertical).squareRoot() }

    /// `nil` comes of fewer than four satellites.
    init?(satelliteCount: Int) {
      guard satelliteCount >= 4 else { return nil }
      let share = 1 / Double(satelliteCount).squareRoot()
      (east, north, vertical) = (1.9 * share, 2.2 * share, 3.8 * share)
    }
  }

  /// The orbital period of each system in seconds.
  private static let systems: [(SatelliteID.System, period: Double)] = [
    (.gps, 43_082), (.glonass, 40_544), (.galileo, 50_685),
  ]
  /// Eight of these are above the horizon at a time, which fit into the 12 places of a GSA.
  private static let satellitesPerSystem = 16
  /// Reported, tracked and used above these elevations.
  private static let (horizon, trackedFrom, usedFrom) = (5.0, 7.0, 10.0)

  /// Shifts all satellites, so that seeds differ in their sky.
  let phaseRadians: Double

  /// What is above the horizon, by system and number.
  func satellites(at time: UTCTime) -> [Satellite] {
    let seconds = Double(time.secondsSince1970) + Double(time.nanosecond) / 1e9
    var seen: [Satellite] = []
    for (system, period) in Self.systems {
      for index in 0..<Self.satellitesPerSystem {
        let turns = (seconds / period).truncatingRemainder(dividingBy: 1)
        let place = Double(index) / Double(Self.satellitesPerSystem)
        let elevation = 90 * sin(2 * .pi * (turns + place) + phaseRadians)
        guard elevation >= Self.horizon else { continue }
        // The golden angle spreads neighbours over the horizon; a pass, half a period, moves half around it.
        let azimuth = (Double(index) * 137.5 + 360 * turns).truncatingRemainder(dividingBy: 360)
        // Antennas receive best overhead; reflections make the signal swell and fade.
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
