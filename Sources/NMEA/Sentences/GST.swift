// SPDX-License-Identifier: Apache-2.0

/// GST: error statistics of the position, as standard deviations.
///
///            1         2   3   4   5   6   7   8
///            |         |   |   |   |   |   |   |
///     $--GST,hhmmss.ss,x.x,x.x,x.x,x.x,x.x,x.x,x.x*hh
///
/// Example:
///
///     $GPGST,112257.00,0.387,317.719,3.872,1.791,317.563,10.659,180.746*61
///
/// <https://gpsd.io/NMEA.html#_gst_gps_pseudorange_noise_statistics>
public struct GST: Equatable, Sendable {
  /// 1: UTC time of the position.
  public var time: TimeOfDay?
  /// 2: root mean square of the range residuals, in metres.
  @Known public var rangeResidualMeters: Double?
  /// 3: standard deviation along the long axis of the error ellipse, in metres.
  @Known public var semiMajorMeters: Double?
  /// 4: standard deviation along the short axis, in metres.
  @Known public var semiMinorMeters: Double?
  /// 5: direction of the long axis in degrees from true north.
  @Known public var orientationDegrees: Double?
  /// 6: standard deviation of the latitude, in metres.
  @Known public var latitudeErrorMeters: Double?
  /// 7: standard deviation of the longitude, in metres.
  @Known public var longitudeErrorMeters: Double?
  /// 8: standard deviation of the altitude, in metres.
  @Known public var altitudeErrorMeters: Double?

  init(_ fields: inout FieldReader) {
    time = fields.time()
    rangeResidualMeters = fields.decimal()
    semiMajorMeters = fields.decimal()
    semiMinorMeters = fields.decimal()
    orientationDegrees = fields.decimal()
    latitudeErrorMeters = fields.decimal()
    longitudeErrorMeters = fields.decimal()
    altitudeErrorMeters = fields.decimal()
  }
}
