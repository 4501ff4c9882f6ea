// SPDX-License-Identifier: Apache-2.0

import Positioning

extension SatelliteID {
  /// Makes an identifier from gpsd's `gnssid` and `svid`, or from its `PRN` if `svid` is 0.
  ///
  /// gpsd numbers PRNs as NMEA 2 to 4.0 do, with a separate range for each system. Returns `nil`
  /// for an unknown system or PRN.
  init?(gpsdSystem: UInt8, number: UInt8, prn: Int16) {
    // "ignore gnssid and sigid if svid is zero" (gps.h).
    if number != 0 {
      guard let system = System(rawValue: gpsdSystem) else { return nil }
      self.init(system: system, number: number)
      return
    }
    switch prn {
    case 1...32: self.init(system: .gps, number: UInt8(prn))
    case 33...64: self.init(system: .sbas, number: UInt8(prn + 87))
    case 65...96: self.init(system: .glonass, number: UInt8(prn - 64))
    case 120...158: self.init(system: .sbas, number: UInt8(prn))
    case 193...202: self.init(system: .qzss, number: UInt8(prn - 192))
    case 301...336: self.init(system: .galileo, number: UInt8(prn - 300))
    case 401...463: self.init(system: .beidou, number: UInt8(prn - 400))
    default: return nil
    }
  }
}

extension SatelliteID.System {
  /// Converts gpsd's signal number, which follows u-blox, to the signal number of NMEA 4.11.
  ///
  /// Returns `nil` for 0, which gpsd uses both for a system's first signal and for an unknown
  /// signal, and for signals that are missing in one of the two numberings.
  func signal(gpsd signal: UInt8) -> UInt8? {
    switch (self, signal) {
    case (.gps, 3), (.qzss, 5): 6
    case (.gps, 4), (.qzss, 4): 5
    case (.galileo, 1): 7
    case (.galileo, 5), (.galileo, 6): 2
    case (.beidou, 1): 1
    case (.beidou, 2), (.beidou, 3): 11
    case (.glonass, 2): 3
    default: nil
    }
  }
}
