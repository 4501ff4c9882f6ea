// SPDX-License-Identifier: Apache-2.0

/// Corrects dates that are wrong because of a GPS week rollover.
///
/// The satellites send the week number modulo 1024, and an old receiver reports a date 19.6 years
/// in the past. Correct only live data: a recording may really be that old.
public enum WeekRollover {
  /// 1024 weeks in days.
  public static let cycleDays: Int32 = 7168

  /// A date that was in the past when Fixcast was built.
  ///
  /// This date is updated with every release.
  public static let buildDate = UTCDate(daysSince1970: 20_758)

  /// Shifts a date by whole cycles to be as near as possible to a trusted date.
  ///
  /// - Parameters:
  ///   - date: The date from the receiver.
  ///   - trusted: A date with an error of less than 9.8 years: the later of the system clock's
  ///     date and ``buildDate``.
  /// - Returns: The corrected date, or the unchanged date if no rollover is detected.
  public static func corrected(_ date: UTCDate, near trusted: UTCDate) -> UTCDate {
    let difference = Int64(trusted.daysSince1970) - Int64(date.daysSince1970)
    let cycle = Int64(cycleDays)
    let rounded = difference + (difference < 0 ? -cycle / 2 : cycle / 2)
    let days = Int64(date.daysSince1970) + rounded / cycle * cycle
    return UTCDate(daysSince1970: Int32(clamping: days))
  }
}
