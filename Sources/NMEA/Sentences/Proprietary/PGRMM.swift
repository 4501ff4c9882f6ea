// SPDX-License-Identifier: Apache-2.0

/// PGRMM: the map datum setting of a Garmin receiver.
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
  /// 1: the first eight bytes of the datum's name, without spaces and in upper case, the last in
  /// the lowest byte.
  public var datum: UInt64?

  /// `WGS 84`.
  public static let wgs84: UInt64 = 0x57_4753_3834

  /// `NAD83`, which differs from WGS 84 by less than two metres.
  public static let nad83: UInt64 = 0x4E_4144_3833

  init(_ fields: inout FieldReader) { datum = fields.code().map(Self.normalized) }

  private static func normalized(_ name: UInt64) -> UInt64 {
    var normalized: UInt64 = 0
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      let byte = UInt8(truncatingIfNeeded: name &>> shift)
      guard byte != 0, byte != ASCII.space else { continue }
      let isLowerCase = (0x61...0x7A).contains(byte)
      normalized = normalized &<< 8 | UInt64(isLowerCase ? byte & ~0x20 : byte)
    }
    return normalized
  }
}
