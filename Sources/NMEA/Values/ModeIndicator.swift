// SPDX-License-Identifier: Apache-2.0

/// The letter for the method by which a solution was obtained; added in NMEA 2.3.
public struct ModeIndicator: Equatable, Hashable, Sendable {
  /// The letter.
  public let rawValue: UInt8

  /// Makes an indicator from any letter, including unknown ones.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `A`: satellites alone.
  public static let autonomous = ModeIndicator(rawValue: 0x41)
  /// `D`: differential.
  public static let differential = ModeIndicator(rawValue: 0x44)
  /// `E`: estimated, dead reckoning.
  public static let estimated = ModeIndicator(rawValue: 0x45)
  /// `F`: real-time kinematic with floating ambiguities.
  public static let rtkFloat = ModeIndicator(rawValue: 0x46)
  /// `M`: entered by hand.
  public static let manual = ModeIndicator(rawValue: 0x4D)
  /// `N`: not valid.
  public static let notValid = ModeIndicator(rawValue: 0x4E)
  /// `P`: precise, without deliberate degradation.
  public static let precise = ModeIndicator(rawValue: 0x50)
  /// `R`: real-time kinematic with integer ambiguities.
  public static let rtkFixed = ModeIndicator(rawValue: 0x52)
  /// `S`: simulator mode.
  public static let simulator = ModeIndicator(rawValue: 0x53)
}
