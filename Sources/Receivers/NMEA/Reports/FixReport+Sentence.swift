// SPDX-License-Identifier: Apache-2.0

import NMEA
import Positioning

extension FixReport {
  /// Starts a report of the kind named by a formatter, and a number that tells several apart.
  init(formatter: StaticString, number: UInt8 = 0) {
    var packed: UInt32 = 0
    formatter.withUTF8Buffer { for byte in $0 { packed = packed &<< 8 | UInt32(byte) } }
    self.init(kind: ReportKind(rawValue: packed &<< 8 | UInt32(number)))
  }

  /// A position; without one of its halves there is none.
  static func coordinate(_ latitude: Double?, _ longitude: Double?) -> Coordinate? {
    guard let latitude, let longitude else { return nil }
    return Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
  }
}
