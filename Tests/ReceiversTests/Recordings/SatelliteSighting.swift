// SPDX-License-Identifier: Apache-2.0

import Positioning

/// A satellite in one report, for comparing the reports of two decoders.
struct SatelliteSighting: Hashable, CustomStringConvertible {
  var system: Int
  var number: Int
  /// The elevation; 0 if unknown, as in the output of gpsd 3.22.
  ///
  /// Azimuth and signal are also 0 if unknown.
  var elevationDegrees: Double
  var azimuthDegrees: Double
  var signalToNoiseDBHz: Double

  var description: String {
    "gnssid \(system) svid \(number) el \(elevationDegrees) az \(azimuthDegrees) "
      + "ss \(signalToNoiseDBHz)"
  }

  init(_ satellite: Satellite) {
    system = Int(satellite.id.system.rawValue)
    number = Int(satellite.id.number)
    elevationDegrees = satellite.elevationDegrees ?? 0
    azimuthDegrees = satellite.azimuthDegrees ?? 0
    signalToNoiseDBHz = satellite.signalToNoiseDBHz ?? 0
  }

  init?(_ satellite: GoldenSky.Satellite) {
    guard let gnssid = satellite.gnssid, let svid = satellite.svid else { return nil }
    system = gnssid
    number = svid
    elevationDegrees = satellite.el ?? 0
    azimuthDegrees = satellite.az ?? 0
    signalToNoiseDBHz = satellite.ss ?? 0
  }
}

/// A `SKY` of gpsd, with gpsd's field names.
struct GoldenSky: Decodable {
  struct Satellite: Decodable {
    var gnssid: Int?
    var svid: Int?
    var el: Double?
    var az: Double?
    var ss: Double?
  }

  var satellites: [Satellite]?
}

extension Recording {
  /// Returns all satellites reported by gpsd at any time.
  func goldenSightings() -> Set<SatelliteSighting> {
    Set(
      objects(GoldenSky.self, of: "SKY").flatMap { $0.satellites ?? [] }
        .compactMap(SatelliteSighting.init))
  }
}
