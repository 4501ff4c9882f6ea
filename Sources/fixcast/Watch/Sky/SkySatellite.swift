// SPDX-License-Identifier: Apache-2.0

import Positioning

/// A satellite in the live view, with the strongest of its signals.
struct SkySatellite: Equatable, Sendable {
  let id: SatelliteID
  /// The strength in dB-Hz; `nil` without a signal.
  var signalDBHz: Double?
  var isUsed: Bool
  var elevationDegrees: Double?
  var azimuthDegrees: Double?

  /// Returns the satellites of a sky, strongest first, then those without a signal.
  static func all(in sky: SkyView?) -> [SkySatellite] {
    var satellites: [SatelliteID: SkySatellite] = [:]
    for entry in sky?.satellites ?? [] {
      let signal = entry.signalToNoiseDBHz.flatMap { $0 > 0 ? $0 : nil }
      var satellite =
        satellites[entry.id] ?? SkySatellite(id: entry.id, signalDBHz: nil, isUsed: false)
      satellite.signalDBHz = [satellite.signalDBHz, signal].compactMap { $0 }.max()
      satellite.isUsed = satellite.isUsed || entry.isUsed
      satellite.elevationDegrees = satellite.elevationDegrees ?? entry.elevationDegrees
      satellite.azimuthDegrees = satellite.azimuthDegrees ?? entry.azimuthDegrees
      satellites[entry.id] = satellite
    }
    return satellites.values.sorted { left, right in
      let (first, second) = (left.signalDBHz ?? 0, right.signalDBHz ?? 0)
      return first == second ? precedes(left, right) : first > second
    }
  }

  /// Whether a satellite is before another in a list by system and number.
  static func precedes(_ left: SkySatellite, _ right: SkySatellite) -> Bool {
    (left.id.system.rawValue, left.id.number) < (right.id.system.rawValue, right.id.number)
  }

  /// The satellite's name in RINEX format: `G05`, `R12`.
  var name: String {
    let system =
      switch id.system {
      case .gps: "G"
      case .sbas: "S"
      case .galileo: "E"
      case .beidou: "C"
      case .imes: "L"
      case .qzss: "J"
      case .glonass: "R"
      case .navic: "I"
      }
    return system + (id.number < 10 ? "0" : "") + "\(id.number)"
  }
}
