// SPDX-License-Identifier: Apache-2.0

/// The two letters that say where a sentence originates.
///
/// Any pair is a talker, known or not.
public struct Talker: Equatable, Hashable, Sendable, CustomStringConvertible {
  /// Both letters, the first in the high byte.
  public let rawValue: UInt16

  /// Makes a talker out of two bytes.
  ///
  /// - Parameters:
  ///   - first: The first letter.
  ///   - second: The second letter.
  public init(_ first: UInt8, _ second: UInt8) {
    rawValue = UInt16(first) &<< 8 | UInt16(second)
  }

  /// GPS, and by habit anything that wants to be taken for it.
  public static let gps = Talker(0x47, 0x50)
  /// Several systems combined.
  public static let combined = Talker(0x47, 0x4E)
  /// GLONASS.
  public static let glonass = Talker(0x47, 0x4C)
  /// Galileo.
  public static let galileo = Talker(0x47, 0x41)
  /// BeiDou, as NMEA names it.
  public static let beidou = Talker(0x47, 0x42)
  /// BeiDou, as Chinese makers named it before NMEA did.
  public static let beidouEarly = Talker(0x42, 0x44)
  /// QZSS, as NMEA names it.
  public static let qzss = Talker(0x47, 0x51)
  /// QZSS, as SkyTraq and others name it.
  public static let qzssEarly = Talker(0x51, 0x5A)
  /// NavIC (IRNSS).
  public static let navic = Talker(0x47, 0x49)
  /// BeiDou and QZSS mixed, in Quectel's proprietary sentences.
  public static let quectel = Talker(0x50, 0x51)
  /// Integrated instrumentation: a multiplexer.
  public static let instrumentation = Talker(0x49, 0x49)

  /// Whether it stands for a maker and no talker: the first letter is `P`.
  public var isProprietary: Bool { rawValue &>> 8 == 0x50 }

  /// The two letters; `?` stands for what is not printable.
  public var description: String {
    PrintableASCII.string(UInt64(rawValue), count: 2)
  }
}
