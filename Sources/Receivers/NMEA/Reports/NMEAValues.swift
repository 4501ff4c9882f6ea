// SPDX-License-Identifier: Apache-2.0

import NMEA
import Positioning

/// Conversion of the receivers' error estimates to a confidence of 95 %, which gpsd uses, too.
///
/// Errors are assumed to be normally distributed: vertical errors in one dimension, horizontal
/// errors in two, equal in all directions. Receivers send 0 if they have no estimate, so errors of
/// zero or less are ignored.
extension Accuracy {
  /// Radii of a circular normal distribution, in standard deviations along one axis:
  /// sqrt(-2 ln(1 - p)) at 50 %, 68 % and 95 %.
  private enum Circular {
    static let percent50 = 1.177_410
    static let percent68 = 1.509_592
    static let percent95 = 2.447_747
  }

  /// Half-widths of a normal distribution, in standard deviations, at 50 % and 95 %.
  private enum Linear {
    static let percent50 = 0.674_490
    static let percent95 = 1.959_964
  }

  /// Converts a radius at 50 % or 68 % confidence; returns `nil` unless the radius is positive.
  static func horizontal(_ meters: Double?, percent: Int) -> Accuracy? {
    guard let meters, meters > 0 else { return nil }
    let factor = Circular.percent95 / (percent == 50 ? Circular.percent50 : Circular.percent68)
    return Accuracy(meters: meters * factor, confidencePercent: 95, basis: .receiver)
  }

  /// Converts standard deviations along two axes to a radius.
  ///
  /// Returns `nil` unless both deviations are positive.
  static func horizontal(deviations first: Double?, _ second: Double?) -> Accuracy? {
    guard let first, let second, first > 0, second > 0 else { return nil }
    let mean = ((first * first + second * second) / 2).squareRoot()
    return Accuracy(meters: mean * Circular.percent95, confidencePercent: 95, basis: .receiver)
  }

  /// Converts a half-width at 50 % confidence, or one standard deviation (68 %).
  ///
  /// Returns `nil` unless the value is positive.
  static func vertical(_ meters: Double?, percent: Int) -> Accuracy? {
    guard let meters, meters > 0 else { return nil }
    let factor = Linear.percent95 / (percent == 50 ? Linear.percent50 : 1)
    return Accuracy(meters: meters * factor, confidencePercent: 95, basis: .receiver)
  }
}

extension FixStatus {
  /// Converts GGA field 6; returns `nil` for an invalid position and for unknown numbers.
  init?(_ quality: FixQuality) {
    switch quality {
    case .autonomous: self = .autonomous
    case .differential: self = .differential
    case .precise: self = .precisePositioning
    case .rtkFixed: self = .rtkFixed
    case .rtkFloat: self = .rtkFloat
    case .estimated: self = .deadReckoning
    case .manual: self = .surveyed
    case .simulated: self = .simulated
    default: return nil
    }
  }

  /// Converts a mode indicator; returns `nil` for "not valid" and for unknown letters.
  init?(_ mode: ModeIndicator) {
    switch mode {
    case .autonomous: self = .autonomous
    case .differential: self = .differential
    case .precise: self = .autonomous
    case .rtkFixed: self = .rtkFixed
    case .rtkFloat: self = .rtkFloat
    case .estimated: self = .deadReckoning
    case .manual: self = .surveyed
    case .simulator: self = .simulated
    default: return nil
    }
  }
}

extension UTCTimeOfDay {
  init?(_ time: TimeOfDay) {
    self.init(
      hour: time.hour, minute: time.minute, second: time.second, nanosecond: time.nanosecond)
  }
}

extension UTCDate {
  /// Converts a date; returns `nil` if the date does not exist, such as 31 February.
  init?(_ date: CalendarDate) {
    self.init(year: Int(date.year), month: Int(date.month), day: Int(date.day))
  }
}
