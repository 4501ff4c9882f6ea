// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Parses the date and time formats that weather providers use.
enum ProviderTime {
  /// A time and its offset from UTC.
  struct OffsetTime: Equatable {
    var utc: UTCTime
    var offsetSeconds: Int
    /// The local date at that offset.
    var date: UTCDate {
      UTCTime(secondsSince1970: utc.secondsSince1970 &+ Int64(offsetSeconds)).date
    }
  }

  /// The range of accepted Unix times: 1970 to 2200.
  private static let plausible: ClosedRange<Double> = 0...7_258_118_400

  /// Converts a Unix time, or returns `nil` for an implausible value such as -999.
  static func unix(_ seconds: Double?) -> UTCTime? {
    guard let seconds, plausible.contains(seconds), seconds > 0 else { return nil }
    return UTCTime(secondsSince1970: Int64(seconds))
  }

  /// Parses an ISO 8601 time with an offset, such as `2019-10-13T14:00:00-04:00`.
  ///
  /// Fractions of a second are ignored. Returns `nil` for a text without an offset.
  static func iso(_ text: String?) -> OffsetTime? {
    guard let text else { return nil }
    let bytes = Array(text.utf8)
    guard bytes.count >= 17, bytes.count <= 40, bytes[4] == 0x2D, bytes[7] == 0x2D,
      bytes[10] == 0x54, bytes[13] == 0x3A, let year = number(bytes[0..<4]),
      let date = number(bytes[5..<7]).flatMap({ month in
        number(bytes[8..<10]).flatMap { UTCDate(year: year, month: month, day: $0) }
      }),
      let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16])
    else { return nil }
    var index = 16
    var second = 0
    if bytes[index] == 0x3A {
      guard bytes.count >= 20, let parsed = number(bytes[17..<19]) else { return nil }
      second = parsed
      index = 19
    }
    if bytes[index] == 0x2E {
      index += 1
      while index < bytes.count, (0x30...0x39).contains(bytes[index]) { index += 1 }
    }
    guard let offset = offsetSeconds(bytes[index...]),
      let time = UTCTimeOfDay(
        hour: UInt8(clamping: hour), minute: UInt8(clamping: minute),
        second: UInt8(clamping: second))
    else { return nil }
    let wall = UTCTime(date: date, timeOfDay: time).secondsSince1970
    return OffsetTime(
      utc: UTCTime(secondsSince1970: wall - Int64(offset)), offsetSeconds: offset)
  }

  /// Parses an offset from UTC of at most 18 hours, such as `Z`, `+00:00` or `-0400`.
  private static func offsetSeconds(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard let sign = bytes.first else { return nil }
    if sign == 0x5A { return bytes.count == 1 ? 0 : nil }
    guard sign == 0x2B || sign == 0x2D else { return nil }
    let digits = bytes.dropFirst().filter { $0 != 0x3A }
    guard digits.count == 4, let hours = number(digits.prefix(2)),
      let minutes = number(digits.suffix(2)), hours <= 18, minutes < 60
    else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return sign == 0x2D ? -seconds : seconds
  }

  /// Parses a date in the preferred format of RFC 9110, `Mon, 20 Jul 2020 11:52:28 GMT`.
  static func http(_ text: String?) -> UTCTime? {
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let words = (text ?? "").split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let day = number(words[1].utf8),
      let month = months.firstIndex(of: String(words[2])), let year = number(words[3].utf8),
      let date = UTCDate(year: year, month: month + 1, day: day)
    else { return nil }
    let clock = words[4].split(separator: ":").map { number($0.utf8) }
    guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
      let time = UTCTimeOfDay(
        hour: UInt8(clamping: hour), minute: UInt8(clamping: minute),
        second: UInt8(clamping: second))
    else { return nil }
    return UTCTime(date: date, timeOfDay: time)
  }

  /// Parses an ISO 8601 duration in days, hours and minutes, such as `PT1H` or `P1DT6H`.
  ///
  /// Returns `nil` for any other text and for zero.
  static func durationSeconds(_ text: some StringProtocol) -> Int? {
    var seconds = 0
    var value: Int?
    var isTime = false
    guard text.utf8.first == 0x50, text.utf8.count <= 16 else { return nil }
    for byte in text.utf8.dropFirst() {
      switch (byte, isTime) {
      case (0x30...0x39, _):
        let next = (value ?? 0) * 10 + Int(byte - 0x30)
        guard next <= 10_000 else { return nil }
        value = next
      case (0x54, false) where value == nil: isTime = true
      case (0x44, false), (0x48, true), (0x4D, true):
        guard let number = value else { return nil }
        seconds += number * (byte == 0x44 ? 86_400 : byte == 0x48 ? 3600 : 60)
        value = nil
      default: return nil
      }
    }
    return value == nil && seconds > 0 ? seconds : nil
  }

  /// Parses one to eight ASCII digits.
  private static func number(_ bytes: some Collection<UInt8>) -> Int? {
    guard !bytes.isEmpty, bytes.count <= 8, bytes.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return bytes.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}
