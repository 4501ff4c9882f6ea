// SPDX-License-Identifier: Apache-2.0

/// The two letters that identify the origin of a sentence.
///
/// Any pair of bytes is accepted, including unknown talkers.
public struct Talker: Equatable, Hashable, Sendable, CustomStringConvertible {
  /// Both letters, the first in the high byte.
  public let rawValue: UInt16

  /// Makes a talker from its two letters.
  public init(_ first: UInt8, _ second: UInt8) {
    rawValue = UInt16(first) &<< 8 | UInt16(second)  // No trap: widens bytes.
  }

  /// GPS; many multi-system receivers use this talker for all systems.
  public static let gps = Talker(0x47, 0x50)
  /// Several systems combined.
  public static let combined = Talker(0x47, 0x4E)
  /// GLONASS.
  public static let glonass = Talker(0x47, 0x4C)
  /// Galileo.
  public static let galileo = Talker(0x47, 0x41)
  /// BeiDou, the NMEA talker.
  public static let beidou = Talker(0x47, 0x42)
  /// BeiDou, the talker of Chinese manufacturers before NMEA defined ``beidou``.
  public static let beidouEarly = Talker(0x42, 0x44)
  /// QZSS, the NMEA talker.
  public static let qzss = Talker(0x47, 0x51)
  /// QZSS, the talker of SkyTraq and others.
  public static let qzssEarly = Talker(0x51, 0x5A)
  /// NavIC (IRNSS).
  public static let navic = Talker(0x47, 0x49)
  /// BeiDou and QZSS together, in Quectel's proprietary sentences.
  public static let quectel = Talker(0x50, 0x51)
  /// Integrated instrumentation, such as a multiplexer.
  public static let instrumentation = Talker(0x49, 0x49)

  /// Whether the first letter is `P`, which marks a manufacturer code instead of a talker.
  public var isProprietary: Bool { rawValue &>> 8 == 0x50 }

  /// The two letters, with `?` for unprintable bytes.
  public var description: String {
    PrintableASCII.string(UInt64(rawValue), count: 2)
  }
}
