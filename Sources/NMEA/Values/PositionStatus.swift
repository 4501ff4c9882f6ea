// SPDX-License-Identifier: Apache-2.0

/// The letter of RMC and GLL for whether the position is valid.
public struct PositionStatus: Equatable, Hashable, Sendable {
  /// The letter.
  public let rawValue: UInt8

  /// Makes a status from any letter, including unknown ones.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `A`: valid.
  public static let valid = PositionStatus(rawValue: 0x41)
  /// `D`: valid, with differential corrections.
  ///
  /// NMEA 0183 does not define this letter. Unicore receivers send it; gpsd accepts it, too.
  public static let differential = PositionStatus(rawValue: 0x44)
  /// `V`: not valid.
  public static let void = PositionStatus(rawValue: 0x56)

  /// Whether the letter states a valid position.
  public var isValid: Bool { self == .valid || self == .differential }
}
