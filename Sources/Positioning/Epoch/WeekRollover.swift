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

  /// The maximum difference in days between a corrected date and the system clock's date.
  ///
  /// A board without a battery loses the time for which it is off.
  static let maxDifferenceDays: Int64 = 366

  /// The maximum number of days from ``buildDate`` to a corrected date, if the system clock's date
  /// is earlier and therefore wrong.
  static let maxReleaseAgeDays: Int64 = 5 * 366

  /// The last date up to which this release of Fixcast is probably in use.
  static let lastPlausibleDate = buildDate.adding(days: Int32(maxReleaseAgeDays))

  /// Shifts a date by whole cycles to a date near a trusted date.
  ///
  /// - Parameters:
  ///   - date: The date from the receiver.
  ///   - trusted: The later of the system clock's date and ``buildDate``.
  /// - Returns: The corrected date. The date is unchanged if no whole number of cycles leads to a
  ///   date near the trusted date: the receiver has no date yet, or its data is old or simulated.
  public static func corrected(_ date: UTCDate, near trusted: UTCDate) -> UTCDate {
    let difference = Int64(trusted.daysSince1970) - Int64(date.daysSince1970)
    let cycle = Int64(cycleDays)
    let rounded = difference + (difference < 0 ? -cycle / 2 : cycle / 2)
    let shift = rounded / cycle * cycle
    let isClock = trusted > buildDate
    let range = isClock ? -maxDifferenceDays...maxDifferenceDays : 0...maxReleaseAgeDays
    guard range.contains(shift - difference) else { return date }
    return UTCDate(daysSince1970: Int32(clamping: Int64(date.daysSince1970) + shift))
  }
}
