// SPDX-License-Identifier: Apache-2.0

extension FieldReader {
  /// Reads a time of day: `hhmmss` and any fraction.
  @inline(__always)
  mutating func time() -> TimeOfDay? {
    guard beginField() else { return nil }
    let start = position
    guard start &+ 6 <= end, let hour = pair(at: start), let minute = pair(at: start &+ 2),
      let second = pair(at: start &+ 4), hour < 24, minute < 60, second <= 60
    else {
      reject(.malformedTime, refusing: true)
      return nil
    }
    var offset = start &+ 6
    var nanosecond: UInt32 = 0
    if byte(at: offset) == ASCII.period {
      offset &+= 1
      let point = offset
      while true {
        let digit = byte(at: offset) &- ASCII.zero
        guard digit < 10 else { break }
        // No trap: widens a byte.
        if offset &- point < 9 { nanosecond = nanosecond &* 10 &+ UInt32(digit) }
        offset &+= 1
      }
      let missing = 9 &- (offset &- point)
      if missing > 0 {
        nanosecond = nanosecond &* UInt32(truncatingIfNeeded: PowerOfTen.integer(missing))
      }
    }
    guard endField(at: offset) else {
      reject(.malformedTime, refusing: true)
      return nil
    }
    return TimeOfDay(hour: hour, minute: minute, second: second, nanosecond: nanosecond)
  }

  /// Reads a date, `ddmmyy` or `ddmmyyyy`.
  ///
  /// A malformed date does not invalidate the sentence: after a week rollover some receivers send
  /// years such as `-1` beside a good position.
  @inline(__always)
  mutating func date() -> CalendarDate? {
    guard beginField() else { return nil }
    let start = position
    guard start &+ 6 <= end, let day = pair(at: start), let month = pair(at: start &+ 2),
      let first = pair(at: start &+ 4), (1...31).contains(day), (1...12).contains(month)
    else {
      reject(.malformedDate)
      return nil
    }
    if endField(at: start &+ 6) {
      // No trap: widens a byte.
      return CalendarDate(year: Self.widened(UInt16(first)), month: month, day: day)
    }
    guard start &+ 8 <= end, let last = pair(at: start &+ 6), endField(at: start &+ 8) else {
      reject(.malformedDate)
      return nil
    }
    // No trap: widens bytes.
    return CalendarDate(year: UInt16(first) &* 100 &+ UInt16(last), month: month, day: day)
  }

  /// Reads a year of four digits, or of two digits, which ``widened(_:)`` expands.
  ///
  /// Returns `nil` and records a flaw if the year is out of range. A year of 0 is no flaw:
  /// receivers without a clock send 0 for "unknown".
  @_lifetime(self: copy self)
  mutating func year(in range: ClosedRange<UInt16>) -> UInt16? {
    let start = position
    guard let value = integer(upTo: 9999) else { return nil }
    let digitCount = position &- 1 &- start
    let stated = UInt16(truncatingIfNeeded: value)
    let year = digitCount == 2 ? Self.widened(stated) : stated
    guard range.contains(year) else {
      if value > 0 { note(.outOfRange, from: start, refusing: false) }
      return nil
    }
    return year
  }

  /// Returns the full year for two digits, as gpsd does: 69 to 99 are 19xx, 00 to 68 are 20xx.
  static func widened(_ year: UInt16) -> UInt16 { year < 69 ? 2000 &+ year : 1900 &+ year }

  /// Reads two digits; the caller must ensure that both digits are before ``end``.
  @inline(__always)
  private func pair(at offset: Int) -> UInt8? {
    let tens = byte(at: offset) &- ASCII.zero
    let ones = byte(at: offset &+ 1) &- ASCII.zero
    guard tens < 10, ones < 10 else { return nil }
    return tens &* 10 &+ ones
  }
}
