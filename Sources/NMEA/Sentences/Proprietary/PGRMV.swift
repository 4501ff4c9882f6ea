// SPDX-License-Identifier: Apache-2.0

/// PGRMV: velocity in three dimensions from a Garmin receiver.
///
///            1   2   3
///            |   |   |
///     $PGRMV,x.x,x.x,x.x*hh
///
/// Example:
///
///     $PGRMV,0.0,0.0,0.0*5C
///
/// Garmin, "GPS 18x Technical Specifications", 4.2.8: 3D velocity information.
public struct PGRMV: Equatable, Sendable {
  /// 1: velocity towards true east in metres per second.
  @Known public var eastMetersPerSecond: Double?
  /// 2: velocity towards true north in metres per second.
  @Known public var northMetersPerSecond: Double?
  /// 3: vertical velocity in metres per second, up positive.
  @Known public var upMetersPerSecond: Double?

  init(_ fields: inout FieldReader) {
    eastMetersPerSecond = fields.decimal(in: -100_000...100_000)
    northMetersPerSecond = fields.decimal(in: -100_000...100_000)
    upMetersPerSecond = fields.decimal(in: -100_000...100_000)
  }
}
