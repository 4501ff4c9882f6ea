// SPDX-License-Identifier: Apache-2.0

import NMEA
import Positioning

extension SkyReport {
  /// Makes a report of the satellites of a GSV sentence.
  ///
  /// Omits numbers that are not assigned to a satellite.
  init(_ gsv: GSV, talker: Talker) {
    let signal = gsv.signalID ?? 0
    self.init(
      group: UInt32(talker.rawValue) << 8 | UInt32(signal),
      part: Int(gsv.sentenceNumber ?? 1), parts: Int(gsv.sentenceCount ?? 1))
    // Some receivers leave the count empty when they see no satellite.
    statesNone =
      gsv.satellites.isEmpty
      && (gsv.satellitesInView == 0 || gsv.satellitesInView == nil && gsv.sentenceCount != nil)
    for seen in gsv.satellites {
      guard let numbering = SatelliteNumbering(number: seen.number, talker: talker),
        let id = SatelliteID(numbering)
      else { continue }
      var satellite = Satellite(id: id, rawNumber: seen.number)
      satellite.signal = signal == 0 ? nil : signal
      satellite.elevationDegrees = seen.elevationDegrees.map(Double.init)
      satellite.azimuthDegrees = seen.azimuthDegrees.map(Double.init)
      // Many receivers send 0 dB-Hz for satellites that are not tracked.
      let ratio = seen.signalToNoiseDBHz.map(Double.init)
      satellite.signalToNoiseDBHz = ratio == 0 ? nil : ratio
      append(satellite)
    }
  }
}

extension UsedSatellites {
  /// Makes the list of the satellites of a GSA sentence.
  init(_ gsa: GSA, talker: Talker) {
    self.init()
    for number in gsa.satellites {
      let numbering = SatelliteNumbering(number: number, talker: talker, systemID: gsa.systemID)
      if let id = numbering.flatMap(SatelliteID.init) { append(id) }
    }
  }
}

extension SatelliteID {
  init?(_ numbering: SatelliteNumbering) {
    guard let system = System(rawValue: numbering.gnssID) else { return nil }
    self.init(system: system, number: numbering.svID)
  }
}
