// SPDX-License-Identifier: Apache-2.0

/// PCD: antenna of a receiver by CDtop, the successor of GlobalTop.
///
///          1  2
///          |  |
///     $PCD,11,x*hh
///
/// Only the message 11 is supported. The numbers differ from those of ``PGTOP``. Example:
///
///     $PCD,11,2*65
///
/// <https://github.com/adafruit/Adafruit_GPS> reads both sentences.
public struct PCD: Equatable, Sendable {
  /// 2: 1 internal antenna, 2 external antenna, 3 shorted.
  public var antenna: AntennaState?

  init(_ fields: inout FieldReader) {
    switch fields.integer(upTo: 99) {
    case 1: antenna = .internal
    case 2: antenna = .external
    case 3: antenna = .shorted
    default: break
    }
  }
}
