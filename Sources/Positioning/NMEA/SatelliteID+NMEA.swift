// SPDX-License-Identifier: Apache-2.0

extension SatelliteID {
  /// The number of the satellite in GSA and GSV of NMEA 4.11; `nil` if the satellite has none.
  package var nmeaNumber: Int? {
    switch system {
    case .gps, .galileo, .beidou, .qzss, .navic: Int(number)
    // 33 is PRN 120. The numbers from 65 are those of GLONASS.
    case .sbas: (120...151).contains(number) ? Int(number) - 87 : nil
    case .glonass: (1...32).contains(number) ? Int(number) + 64 : nil
    case .imes: nil
    }
  }
}

extension SatelliteID.System {
  /// The talker and the system id (NMEA 4.11 table 19); `nil` if the system has none.
  ///
  /// NMEA assigns augmentation satellites to GPS.
  package var nmea: (talker: String, systemID: String)? {
    switch self {
    case .gps, .sbas: ("GP", "1")
    case .glonass: ("GL", "2")
    case .galileo: ("GA", "3")
    case .beidou: ("GB", "4")
    case .qzss: ("GQ", "5")
    case .navic: ("GI", "6")
    case .imes: nil
    }
  }
}
