// SPDX-License-Identifier: Apache-2.0

/// Knows which day it is between the reports that say so.
///
/// GGA, GLL, GNS and GST carry a time but no date, and just after midnight they may come before
/// the sentence that does. Taken with the old date such an epoch would be a day in the past.
struct DateKeeper: Sendable {
  /// The last date that was said, and the time of day it was said at.
  private var last: (date: UTCDate, timeOfDay: UTCTimeOfDay)?

  init() {}

  /// Takes what a report says.
  mutating func note(_ date: UTCDate, at timeOfDay: UTCTimeOfDay) {
    last = (date, timeOfDay)
  }

  /// The date of a time of day that came with none; `nil` before any date was said.
  ///
  /// A step of more than half a day is taken for midnight, in either direction.
  mutating func date(for timeOfDay: UTCTimeOfDay) -> UTCDate? {
    guard let last else { return nil }
    let step = timeOfDay.nanosecondsSinceMidnight - last.timeOfDay.nanosecondsSinceMidnight
    let halfDay: Int64 = 43_200_000_000_000
    let date = last.date.adding(days: step < -halfDay ? 1 : step > halfDay ? -1 : 0)
    self.last = (date, timeOfDay)
    return date
  }
}
