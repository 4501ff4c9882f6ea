// SPDX-License-Identifier: Apache-2.0

/// GBS: expected position errors, and the satellite most likely to be faulty.
///
///            1         2   3   4   5  6   7   8   9 10
///            |         |   |   |   |  |   |   |   | |
///     $--GBS,hhmmss.ss,x.x,x.x,x.x,xx,x.x,x.x,x.x,h,h*hh
///
/// NMEA 4.1 adds the system and signal ids. Example:
///
///     $GPGBS,112257.00,123.204,0.490,75.521,23,0.000,0.000,0.000*53
///
/// <https://gpsd.io/NMEA.html#_gbs_gps_satellite_fault_detection>
public struct GBS: Equatable, Sendable {
  /// 1: UTC time of the position.
  public var time: TimeOfDay?
  /// 2: expected one-sigma error of the latitude, in metres.
  @Known public var latitudeErrorMeters: Double?
  /// 3: expected one-sigma error of the longitude, in metres.
  @Known public var longitudeErrorMeters: Double?
  /// 4: expected one-sigma error of the altitude, in metres.
  @Known public var altitudeErrorMeters: Double?
  /// 5: number of the satellite most likely to be faulty.
  public var faultySatellite: UInt32?
  /// 6: probability that a fault of the satellite in field 5 was missed.
  @Known public var missedDetectionProbability: Double?
  /// 7: estimated bias of the satellite in field 5, in metres.
  @Known public var biasMeters: Double?
  /// 8: standard deviation of the bias, in metres.
  @Known public var biasDeviationMeters: Double?
  /// 9: system of the satellite in field 5, as in ``GSA/systemID``.
  public var systemID: UInt8?
  /// 10: signal of the satellite in field 5, as in ``GSV/signalID``.
  public var signalID: UInt8?

  init(_ fields: inout FieldReader) {
    time = fields.time()
    latitudeErrorMeters = fields.decimal()
    longitudeErrorMeters = fields.decimal()
    altitudeErrorMeters = fields.decimal()
    faultySatellite = fields.integer(upTo: 65_535)
    missedDetectionProbability = fields.decimal()
    biasMeters = fields.decimal()
    biasDeviationMeters = fields.decimal()
    systemID = fields.hexadecimal()
    signalID = fields.hexadecimal()
  }
}
