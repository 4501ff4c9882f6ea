// SPDX-License-Identifier: Apache-2.0

/// GSA: mode, satellites used, and dilutions of precision.
///
///            1 2 3                        14 15  16  17  18
///            | | |                         | |   |   |   |
///     $--GSA,a,x,xx,xx,xx,xx,xx,...,xx,xx,xx,x.x,x.x,x.x,h*hh
///
/// The standard has twelve fields for satellites; SkyTraq and others send 24. NMEA 4.1 adds the
/// system id. A multi-system receiver sends one GSA per system. Example:
///
///     $GNGSA,A,3,80,71,73,79,69,,,,,,,,1.83,1.09,1.47*17
///
/// <https://gpsd.io/NMEA.html#_gsa_gps_dop_and_active_satellites>
public struct GSA: Equatable, Sendable {
  /// 1: `A` if the receiver chooses between 2D and 3D, `M` if the mode is fixed by the user.
  public var selection: UInt8?
  /// 2: 1 no fix, 2 two-dimensional, 3 three-dimensional.
  public var mode: UInt32?
  /// 3 to 14: satellites used, in the receiver's numbering.
  public var satellites: SatelliteNumbers
  /// 15: dilution of precision in position.
  @Known public var positionDilution: Double?
  /// 16: horizontal dilution of precision.
  @Known public var horizontalDilution: Double?
  /// 17: vertical dilution of precision.
  @Known public var verticalDilution: Double?
  /// 18: system of the satellites, since NMEA 4.1: 1 GPS, 2 GLONASS, 3 Galileo, 4 BeiDou, 5 QZSS,
  /// 6 NavIC.
  public var systemID: UInt8?

  init(_ fields: inout FieldReader) {
    selection = fields.letter()
    mode = fields.integer(upTo: 3)
    satellites = SatelliteNumbers()
    fields.appendNumbers(to: &satellites)
    // After 12 satellites, 3 or 4 fields remain: the dilutions and an optional system id. If 15 or
    // 16 fields remain, there are 12 more satellites.
    if fields.countRemaining() >= 15 { fields.appendNumbers(to: &satellites) }
    positionDilution = fields.dilution()
    horizontalDilution = fields.dilution()
    verticalDilution = fields.dilution()
    systemID = fields.systemID()
  }
}

extension FieldReader {
  /// Reads twelve satellite numbers.
  @_lifetime(self: copy self)
  fileprivate mutating func appendNumbers(to satellites: inout SatelliteNumbers) {
    for _ in 0..<12 {
      if let number = integer(upTo: 65_535, allowsFraction: false) {
        satellites.append(UInt16(truncatingIfNeeded: number))
      }
    }
  }
}
