// SPDX-License-Identifier: Apache-2.0

import NMEA
import Positioning

extension UTCTimeOfDay {
  init?(_ time: TimeOfDay) {
    self.init(
      hour: time.hour, minute: time.minute, second: time.second, nanosecond: time.nanosecond)
  }
}

extension UTCDate {
  /// `nil` for a day that its month does not have.
  init?(_ date: CalendarDate) {
    self.init(year: Int(date.year), month: Int(date.month), day: Int(date.day))
  }
}
