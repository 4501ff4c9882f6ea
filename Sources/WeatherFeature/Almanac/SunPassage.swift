// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// What the sun does on one day with respect to a height.
public enum SunPassage: Equatable, Hashable, Sendable {
  /// It comes up to the height and goes down again.
  ///
  /// Either is `nil` where it does not do so on that day: the first and the last day of the
  /// midnight sun and of the polar night have only one.
  case crosses(up: UTCTime?, down: UTCTime?)
  /// It is above all day.
  case staysAbove
  /// It is below all day.
  case staysBelow

  /// When it comes up; `nil` where it does not.
  public var up: UTCTime? {
    if case .crosses(let up, _) = self { up } else { nil }
  }

  /// When it goes down; `nil` where it does not.
  public var down: UTCTime? {
    if case .crosses(_, let down) = self { down } else { nil }
  }
}

/// The heights of the sun's middle that have a name, in degrees without air.
enum SunHeight: Double {
  /// The upper edge on the horizon: 34' of refraction and 16' of radius, as almanacs have it.
  case edge = -0.833_333_333_333_333_3
  case civil = -6
  case nautical = -12
  case astronomical = -18
}
