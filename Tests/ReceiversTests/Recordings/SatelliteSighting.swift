// SPDX-License-Identifier: Apache-2.0

import Positioning

/// A satellite as one report describes it, for comparing the sets that two decoders report.
struct SatelliteSighting: Hashable, CustomStringConvertible {
  var system: Int
  var number: Int
  /// 0 also for unknown, as gpsd 3.22 prints it; so with the azimuth and the signal.
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

/// A `SKY` of gpsd, by gpsd's names.
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
  /// Every satellite that gpsd reports at any time.
  func goldenSightings() -> Set<SatelliteSighting> {
    Set(
      objects(GoldenSky.self, of: "SKY").flatMap { $0.satellites ?? [] }
        .compactMap(SatelliteSighting.init))
  }
}
