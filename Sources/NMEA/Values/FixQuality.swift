// SPDX-License-Identifier: Apache-2.0

/// The method by which a position was obtained: field 6 of GGA.
public struct FixQuality: Equatable, Hashable, Sendable {
  /// The number in the field.
  public let rawValue: UInt8

  /// Makes a quality from any number, including unknown ones.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// 0: no position.
  public static let invalid = FixQuality(rawValue: 0)
  /// 1: satellites alone.
  public static let autonomous = FixQuality(rawValue: 1)
  /// 2: differential or augmented.
  public static let differential = FixQuality(rawValue: 2)
  /// 3: precise positioning service.
  public static let precise = FixQuality(rawValue: 3)
  /// 4: real-time kinematic with integer ambiguities.
  public static let rtkFixed = FixQuality(rawValue: 4)
  /// 5: real-time kinematic with floating ambiguities.
  public static let rtkFloat = FixQuality(rawValue: 5)
  /// 6: dead reckoning.
  public static let estimated = FixQuality(rawValue: 6)
  /// 7: entered by hand.
  public static let manual = FixQuality(rawValue: 7)
  /// 8: simulator mode.
  ///
  /// Some Garmin receivers send 8 for real positions.
  public static let simulated = FixQuality(rawValue: 8)
}
