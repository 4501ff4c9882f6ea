// SPDX-License-Identifier: Apache-2.0

/// PGRME: position errors estimated by a Garmin receiver.
///
///            1   2 3   4 5   6
///            |   | |   | |   |
///     $PGRME,x.x,M,x.x,M,x.x,M*hh
///
/// Example:
///
///     $PGRME,15.0,M,22.5,M,27.0,M*1A
///
/// <https://gpsd.io/NMEA.html#_pgrme_garmin_estimated_error>
public struct PGRME: Equatable, Sendable {
  /// 1: horizontal error in metres, at 50 % confidence.
  @Known public var horizontalErrorMeters: Double?
  /// 3: vertical error in metres, at 50 % confidence.
  @Known public var verticalErrorMeters: Double?
  /// 5: spherical error in metres, at 50 % confidence.
  @Known public var positionErrorMeters: Double?

  init(_ fields: inout FieldReader) {
    horizontalErrorMeters = fields.decimal()
    fields.unit(0x4D)
    verticalErrorMeters = fields.decimal()
    fields.unit(0x4D)
    positionErrorMeters = fields.decimal()
    fields.unit(0x4D)
  }
}
