// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning
internal import Receivers
internal import SystemSupport

/// Satellites on circular orbits like those of GPS, GLONASS and Galileo, as seen from a place.
struct SimulatedSky: Sendable {
  /// A satellite above the horizon.
  struct Satellite: Equatable {
    var id: SatelliteID
    var elevationDegrees: Double
    var azimuthDegrees: Double
    /// Unknown while too low to be tracked.
    var signalDBHz: Double?
    var isUsed: Bool
    /// East, north and up of the line of sight, of length one.
    var sight: EarthVector
  }

  private struct Constellation {
    var system: SatelliteID.System
    var planes: Int
    var perPlane: Int
    var radius: Double
    var inclination: Double
  }

  private static let constellations = [
    Constellation(
      system: .gps, planes: 6, perPlane: 4, radius: 26_560_000, inclination: 55 * .pi / 180),
    Constellation(
      system: .glonass, planes: 3, perPlane: 8, radius: 25_510_000, inclination: 64.8 * .pi / 180),
    Constellation(
      system: .galileo, planes: 3, perPlane: 8, radius: 29_600_000, inclination: 56 * .pi / 180),
  ]

  private static let gravity = 3.986004418e14
  private static let earthRate = 7.2921150e-5
  /// Reported, tracked and used above these elevations.
  private static let (horizon, trackedFrom, usedFrom) = (5.0, 7.0, 10.0)
  /// GSA has room for this many of one system.
  private static let mostUsedPerSystem = 12

  /// Turns the planes, so that seeds differ in their sky.
  private let phase: Double

  init(phaseRadians: Double) { phase = phaseRadians }

  /// What is above the horizon, by system and number.
  func satellites(at time: UTCTime, from place: Coordinate) -> [Satellite] {
    let observer = EarthVector(place)
    let frame = EarthVector.LocalFrame(at: place)
    // Days are counted from 2020, so that the angles keep their digits.
    let seconds = Double(time.secondsSince1970 &- 1_577_836_800) + Double(time.nanosecond) / 1e9
    var seen: [Satellite] = []
    for constellation in Self.constellations {
      var used = 0
      for index in 0..<(constellation.planes * constellation.perPlane) {
        let position = position(index, of: constellation, at: seconds)
        let id = SatelliteID(system: constellation.system, number: UInt8(clamping: index + 1))
        guard
          var satellite = look(
            at: position - observer, in: frame, id: id, fading: seconds / 97 + Double(index))
        else { continue }
        if satellite.isUsed { used += 1 }
        if used > Self.mostUsedPerSystem { satellite.isUsed = false }
        seen.append(satellite)
      }
    }
    return seen
  }

  private func position(
    _ index: Int, of constellation: Constellation, at seconds: Double
  ) -> EarthVector {
    let (plane, slot) = (index / constellation.perPlane, index % constellation.perPlane)
    let radius = constellation.radius
    let motion = (Self.gravity / (radius * radius * radius)).squareRoot()
    let turn = 2 * Double.pi
    // Neighbouring planes are shifted by a third of the spacing, so that gaps do not line up.
    let inPlane = turn * (Double(slot) + Double(plane) / 3) / Double(constellation.perPlane)
    let argument = (inPlane + motion * seconds).truncatingRemainder(dividingBy: turn)
    let node =
      (turn * Double(plane) / Double(constellation.planes) + phase - Self.earthRate * seconds)
      .truncatingRemainder(dividingBy: turn)
    let (s, c) = (sin(argument), cos(argument))
    let tilted = s * cos(constellation.inclination)
    return EarthVector(
      x: radius * (c * cos(node) - tilted * sin(node)),
      y: radius * (c * sin(node) + tilted * cos(node)),
      z: radius * s * sin(constellation.inclination))
  }

  private func look(
    at line: EarthVector, in frame: EarthVector.LocalFrame, id: SatelliteID, fading: Double
  ) -> Satellite? {
    let distance = line.length
    guard distance > 0 else { return nil }
    let sight = EarthVector(
      x: line.dot(frame.east) / distance, y: line.dot(frame.north) / distance,
      z: line.dot(frame.up) / distance)
    let elevation = asin(max(-1, min(1, sight.z))) * (180 / .pi)
    guard elevation >= Self.horizon else { return nil }
    // Antennas hear best overhead; reflections make the signal swell and fade.
    let signal = 26 + 21 * sight.z.squareRoot() + 2.5 * sin(fading)
    return Satellite(
      id: id, elevationDegrees: elevation,
      azimuthDegrees: EarthVector.bearingDegrees(east: sight.x, north: sight.y),
      signalDBHz: elevation >= Self.trackedFrom ? signal : nil,
      isUsed: elevation >= Self.usedFrom, sight: sight)
  }
}
