// SPDX-License-Identifier: Apache-2.0

/// Supplies the date for reports that contain only a time of day.
///
/// GGA, GLL, GNS and GST contain a time but no date. Just after midnight, they may arrive before
/// the sentence with the new date. With the old date, the epoch would be a day in the past.
struct DateKeeper: Sendable {
  /// The last date, and the time of day for which it is valid.
  private var last: (date: UTCDate, timeOfDay: UTCTimeOfDay)?

  init() {}

  /// Records a date and time of day from a report.
  mutating func note(_ date: UTCDate, at timeOfDay: UTCTimeOfDay) {
    last = (date, timeOfDay)
  }

  /// Returns the date for a time of day from a report without a date; `nil` before the first date.
  ///
  /// A step of more than half a day, in either direction, is treated as passing midnight.
  mutating func date(for timeOfDay: UTCTimeOfDay) -> UTCDate? {
    guard let last else { return nil }
    let step = timeOfDay.nanosecondsSinceMidnight - last.timeOfDay.nanosecondsSinceMidnight
    let halfDay: Int64 = 43_200_000_000_000
    let date = last.date.adding(days: step < -halfDay ? 1 : step > halfDay ? -1 : 0)
    self.last = (date, timeOfDay)
    return date
  }
}
