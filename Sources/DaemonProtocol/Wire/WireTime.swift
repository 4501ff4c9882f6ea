// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// A parser of the times in objects, such as `2009-07-24T10:47:06.000Z`.
enum WireTime {
  static func read(_ text: String) -> UTCTime? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.count <= 30, bytes.last == UInt8(ascii: "Z"),
      bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"), bytes[10] == UInt8(ascii: "T"),
      bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
      let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
      let day = number(bytes[8..<10]), let hour = number(bytes[11..<13]),
      let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
      let nanosecond = fraction(bytes[19..<(bytes.count - 1)]),
      let date = UTCDate(year: year, month: month, day: day),
      let clock = UTCTimeOfDay(
        hour: UInt8(hour), minute: UInt8(minute), second: UInt8(second),
        nanosecond: UInt32(nanosecond))
    else { return nil }
    return UTCTime(date: date, timeOfDay: clock)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      value = value * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return value
  }

  private static func fraction(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard let point = bytes.first else { return 0 }
    guard point == UInt8(ascii: "."), (2...10).contains(bytes.count),
      let value = number(bytes.dropFirst())
    else { return nil }
    return (bytes.count..<10).reduce(value) { value, _ in value * 10 }
  }
}
