// SPDX-License-Identifier: Apache-2.0

/// PGRMM: the map datum that a Garmin receiver is set to.
///
///            1
///            |
///     $PGRMM,c--c*hh
///
/// Example:
///
///     $PGRMM,NAD83*29
///
/// Garmin, "Communication Specification", 2.9: map datum.
public struct PGRMM: Equatable, Sendable {
  /// 1: the first eight bytes of the datum's name, the last in the lowest byte.
  public var datum: UInt64?

  /// `WGS 84`.
  public static let wgs84: UInt64 = 0x5747_5320_3834

  /// `NAD83`, which differs from WGS 84 by less than two metres.
  public static let nad83: UInt64 = 0x4E_4144_3833

  init(_ fields: inout FieldReader) { datum = fields.code() }
}
