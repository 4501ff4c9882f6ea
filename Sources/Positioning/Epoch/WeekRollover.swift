// SPDX-License-Identifier: Apache-2.0

/// Puts right dates of receivers that have lost count of the GPS weeks.
///
/// The satellites send the week modulo 1024, and an old receiver takes it for a week 19.6 years
/// ago. Only for live data: the date of a recording is what it was.
public enum WeekRollover {
  /// 1024 weeks in days.
  public static let cycleDays: Int32 = 7168

  /// A date that was in the past when this was built.
  ///
  /// Raised with every release.
  public static let buildDate = UTCDate(daysSince1970: 20_758)

  /// The date a whole number of cycles away that is nearest to a trusted one.
  ///
  /// - Parameters:
  ///   - date: What the receiver says.
  ///   - trusted: A date that is right to within years: the clock's where it is later than the
  ///     build date, else the build date.
  /// - Returns: The corrected date; the same one where it was right.
  public static func corrected(_ date: UTCDate, near trusted: UTCDate) -> UTCDate {
    let difference = Int64(trusted.daysSince1970) - Int64(date.daysSince1970)
    let cycle = Int64(cycleDays)
    let rounded = difference + (difference < 0 ? -cycle / 2 : cycle / 2)
    let days = Int64(date.daysSince1970) + rounded / cycle * cycle
    return UTCDate(daysSince1970: Int32(clamping: days))
  }
}
