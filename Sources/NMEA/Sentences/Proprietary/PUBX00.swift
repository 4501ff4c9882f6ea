// SPDX-License-Identifier: Apache-2.0

/// PUBX,00: position, velocity and their errors from a u-blox receiver.
///
///              2         3       4 5        6 7   8  9   10  11  12  13  14  15  16  17  18 19 20
///              |         |       | |        | |   |  |   |   |   |   |   |   |   |   |   |  |  |
///     $PUBX,00,hhmmss.ss,ddmm.mm,c,dddmm.mm,c,x.x,cc,x.x,x.x,x.x,x.x,x.x,x.x,x.x,x.x,x.x,xx,xx,xx*hh
///
/// Example:
///
///     $PUBX,00,081350.00,4717.113210,N,00833.915187,E,546.589,G3,2.1,2.0,0.007,77.52,0.007,,0.92,1.19,0.77,9,0,0*5F
///
/// u-blox 8 / u-blox M8 Receiver Description, section 31.3.2.
public struct PUBX00: Equatable, Sendable {
  // This is the largest sentence. With the eight-byte numbers first, it needs 125 bytes instead
  // of 133, and a `Sentence` fits the 128 bytes that LLVM copies without a call to memcpy.

  /// 3, 4: latitude in degrees, north positive, -90 to 90.
  @Known public var latitudeDegrees: Double?
  /// 5, 6: longitude in degrees, east positive, -180 to 180.
  @Known public var longitudeDegrees: Double?
  /// 7: height of the antenna in metres above the ellipsoid.
  @Known public var altitudeMetersAboveEllipsoid: Double?
  /// 9: estimated horizontal error, in metres.
  @Known public var horizontalAccuracyMeters: Double?
  /// 10: estimated vertical error, in metres.
  @Known public var verticalAccuracyMeters: Double?
  /// 11: speed over ground in metres per second, sent in kilometres per hour.
  @Known public var speedMetersPerSecond: Double?
  /// 12: course over ground in degrees from true north, 0 to below 360.
  @Known public var courseDegreesTrue: Double?
  /// 13: vertical speed in metres per second, up positive; sent with down positive.
  @Known public var climbMetersPerSecond: Double?
  /// 14: seconds since the last differential correction.
  @Known public var correctionAgeSeconds: Double?
  /// 15: horizontal dilution of precision.
  @Known public var horizontalDilution: Double?
  /// 16: vertical dilution of precision.
  @Known public var verticalDilution: Double?
  /// 17: dilution of precision in time.
  @Known public var timeDilution: Double?
  /// 8: status as two letters, the last in the lowest byte: `NF` no fix, `DR` dead reckoning, `G2`
  /// and `G3` 2D and 3D fix, `D2` and `D3` 2D and 3D fix with corrections, `RK` satellites and dead
  /// reckoning combined, `TT` time only.
  public var status: UInt64?
  /// 2: UTC time of the position.
  public var time: TimeOfDay?
  /// 18: number of satellites used.
  public var satellitesUsed: UInt32?

  init(_ fields: inout FieldReader) {
    time = fields.time()
    latitudeDegrees = fields.latitude()
    longitudeDegrees = fields.longitude()
    altitudeMetersAboveEllipsoid = fields.decimal()
    status = fields.code()
    horizontalAccuracyMeters = fields.decimal()
    verticalAccuracyMeters = fields.decimal()
    speedMetersPerSecond = fields.decimal(in: 0...100_000, times: 5, over: 18)
    courseDegreesTrue = fields.bearing()
    climbMetersPerSecond = fields.decimal().map { 0 - $0 }  // No trap: a Double.
    correctionAgeSeconds = fields.decimal()
    horizontalDilution = fields.dilution()
    verticalDilution = fields.dilution()
    timeDilution = fields.dilution()
    satellitesUsed = fields.integer(upTo: 255)
    fields.skip()
    fields.skip()
  }
}
