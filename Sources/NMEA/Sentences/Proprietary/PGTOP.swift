// SPDX-License-Identifier: Apache-2.0

/// PGTOP: antenna of a receiver by GlobalTop, such as the MediaTek MT3339.
///
///            1  2
///            |  |
///     $PGTOP,11,x*hh
///
/// Only the message 11 is supported. Example:
///
///     $PGTOP,11,3*6F
///
/// <https://learn.adafruit.com/adafruit-ultimate-gps-featherwing/antenna-options>
public struct PGTOP: Equatable, Sendable {
  /// 2: 1 shorted, 2 internal antenna, 3 external antenna.
  public var antenna: AntennaState?

  init(_ fields: inout FieldReader) {
    switch fields.integer(upTo: 99) {
    case 1: antenna = .shorted
    case 2: antenna = .internal
    case 3: antenna = .external
    default: break
    }
  }
}
