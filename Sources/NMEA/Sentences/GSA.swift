// SPDX-License-Identifier: Apache-2.0

/// GSA: mode, satellites used, and dilutions of precision.
///
///            1 2 3                        14 15  16  17  18
///            | | |                         | |   |   |   |
///     $--GSA,a,x,xx,xx,xx,xx,xx,...,xx,xx,xx,x.x,x.x,x.x,h*hh
///
/// There are twelve fields for satellites; SkyTraq and others send 24. NMEA 4.1 adds the system
/// id. A receiver of several systems sends one GSA a system. Example:
///
///     $GNGSA,A,3,80,71,73,79,69,,,,,,,,1.83,1.09,1.47*17
///
/// <https://gpsd.io/NMEA.html#_gsa_gps_dop_and_active_satellites>
public struct GSA: Equatable, Sendable {
  /// 1: `A`, the receiver chooses between 2D and 3D; `M`, it is forced.
  public var selection: UInt8?
  /// 2: 1 no fix, 2 two-dimensional, 3 three-dimensional.
  public var mode: UInt32?
  /// 3 to 14: the satellites used, as the receiver numbers them.
  public var satellites: SatelliteNumbers
  /// 15: dilution of precision in position.
  @Known public var positionDilution: Double?
  /// 16: horizontal dilution of precision.
  @Known public var horizontalDilution: Double?
  /// 17: vertical dilution of precision.
  @Known public var verticalDilution: Double?
  /// 18: the system that the satellites belong to, NMEA 4.1: 1 GPS, 2 GLONASS, 3 Galileo,
  /// 4 BeiDou, 5 QZSS, 6 NavIC.
  public var systemID: UInt8?

  init(_ fields: inout FieldReader) {
    selection = fields.letter()
    mode = fields.integer(upTo: 3)
    satellites = SatelliteNumbers()
    fields.appendNumbers(to: &satellites)
    // 12 fields, 3 dilutions and perhaps a system id are 15 or 16; with 24 there are 27 or 28.
    // In between is no form that exists, and a dilution must not be taken for a satellite.
    if fields.countRemaining() >= 15 { fields.appendNumbers(to: &satellites) }
    positionDilution = fields.dilution()
    horizontalDilution = fields.dilution()
    verticalDilution = fields.dilution()
    systemID = fields.systemID()
  }
}

extension FieldReader {
  /// Reads twelve satellite numbers.
  fileprivate mutating func appendNumbers(to satellites: inout SatelliteNumbers) {
    for _ in 0..<12 {
      if let number = integer(upTo: 65_535, allowsFraction: false) {
        satellites.append(UInt16(truncatingIfNeeded: number))
      }
    }
  }
}
