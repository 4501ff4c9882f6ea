// SPDX-License-Identifier: Apache-2.0

/// GNS: fix data of a multi-system receiver.
///
///            1         2       3 4        5 6  7  8   9   10  11  12   13
///            |         |       | |        | |  |  |   |   |   |   |    |
///     $--GNS,hhmmss.ss,ddmm.mm,a,dddmm.mm,a,mm,xx,x.x,x.x,x.x,x.x,xxxx,s*hh
///
/// Field 6 has one letter for each system, in the order GPS, GLONASS, Galileo, BeiDou, QZSS, NavIC.
/// NMEA 4.1 adds field 13. Example:
///
///     $GNGNS,170600.000,4111.59880,N,11156.56667,W,AANN,21,0.53,01443.9,-016.5,,*54
///
/// <https://gpsd.io/NMEA.html#_gns_fix_data>
public struct GNS: Equatable, Sendable {
  /// 1: UTC time of the position.
  public var time: TimeOfDay?
  /// 2, 3: latitude in degrees, north positive, -90 to 90.
  @Known public var latitudeDegrees: Double?
  /// 4, 5: longitude in degrees, east positive, -180 to 180.
  @Known public var longitudeDegrees: Double?
  /// 6: mode letters of the systems, at most eight, the last in the lowest byte.
  public var modes: UInt64?
  /// 7: number of satellites used.
  public var satellitesUsed: UInt32?
  /// 8: horizontal dilution of precision.
  @Known public var horizontalDilution: Double?
  /// 9: height of the antenna in metres above mean sea level.
  @Known public var altitudeMetersAboveSeaLevel: Double?
  /// 10: height in metres of mean sea level (the geoid) above the WGS 84 ellipsoid.
  @Known public var geoidSeparationMeters: Double?
  /// 11: seconds since the last differential correction.
  @Known public var correctionAgeSeconds: Double?
  /// 12: number of the differential reference station.
  public var stationNumber: UInt32?
  /// 13: navigational status, `S` safe, `C` caution, `U` unsafe, `V` not valid.
  public var navigationalStatus: UInt8?

  init(_ fields: inout FieldReader) {
    time = fields.time()
    latitudeDegrees = fields.latitude()
    longitudeDegrees = fields.longitude()
    modes = fields.code()
    satellitesUsed = fields.integer(upTo: 255)
    horizontalDilution = fields.dilution()
    altitudeMetersAboveSeaLevel = fields.decimal()
    geoidSeparationMeters = fields.decimal()
    correctionAgeSeconds = fields.decimal()
    stationNumber = fields.integer(upTo: 9999)
    navigationalStatus = fields.letter()
  }

  /// The best mode of any system (order R, F, P, D, A, E, M, S, N); `nil` if field 6 is empty.
  public var bestMode: ModeIndicator? {
    guard var rest = modes else { return nil }
    var best: ModeIndicator?
    var bestRank = Int.max
    while rest != 0 {
      let mode = ModeIndicator(rawValue: UInt8(truncatingIfNeeded: rest))
      let rank = Self.rank(mode)
      if rank < bestRank { (best, bestRank) = (mode, rank) }
      rest = rest &>> 8
    }
    return best
  }

  private static func rank(_ mode: ModeIndicator) -> Int {
    switch mode {
    case .rtkFixed: 0
    case .rtkFloat: 1
    case .precise: 2
    case .differential: 3
    case .autonomous: 4
    case .estimated: 5
    case .manual: 6
    case .simulator: 7
    case .notValid: 8
    default: 9
    }
  }
}
