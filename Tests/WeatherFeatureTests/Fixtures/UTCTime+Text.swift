// SPDX-License-Identifier: Apache-2.0

public import Positioning

extension UTCTime: ExpressibleByStringLiteral {
  /// Creates a time from a literal such as `2026-06-21T12:00:00`.
  public init(stringLiteral text: String) {
    let parts = text.split { "-T:".contains($0) }.compactMap { Int($0) }
    guard parts.count == 6,
      let date = UTCDate(year: parts[0], month: parts[1], day: parts[2]),
      let time = UTCTimeOfDay(
        hour: UInt8(parts[3]), minute: UInt8(parts[4]), second: UInt8(parts[5]))
    else { preconditionFailure("\(text) is not a time") }
    self.init(date: date, timeOfDay: time)
  }

  /// Returns the time after the given number of seconds.
  func adding(seconds: Int64) -> UTCTime {
    UTCTime(secondsSince1970: secondsSince1970 + seconds, nanosecond: nanosecond)
  }
}
