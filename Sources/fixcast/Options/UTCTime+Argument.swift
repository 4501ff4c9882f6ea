// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import Positioning

extension UTCTime: ExpressibleByArgument {
  /// Parses ISO 8601 in UTC, such as `2026-11-21T12:00:00Z`; the fraction and `Z` are optional.
  ///
  /// A date alone is its first second.
  public init?(argument: String) {
    let bytes = Array((argument.utf8.count == 10 ? argument + "T00:00:00Z" : argument).utf8)
    func number(_ range: Range<Int>) -> Int? {
      guard range.upperBound <= bytes.count,
        bytes[range].allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
      else { return nil }
      return bytes[range].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
    guard bytes.count >= 19, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      [UInt8(ascii: "T"), UInt8(ascii: "t"), 0x20].contains(bytes[10]),
      bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
      let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19)
    else { return nil }
    var rest = bytes[19...]
    var nanosecond = 0
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
      guard (1...9).contains(digits.count), let value = number(digits.startIndex..<digits.endIndex)
      else { return nil }
      nanosecond = (digits.count..<9).reduce(value) { scaled, _ in scaled * 10 }
      rest = bytes[digits.endIndex...]
    }
    guard rest.isEmpty || rest.elementsEqual([UInt8(ascii: "Z")]),
      let date = UTCDate(year: year, month: month, day: day),
      let time = UTCTimeOfDay(
        hour: UInt8(hour), minute: UInt8(minute), second: UInt8(second),
        nanosecond: UInt32(nanosecond))
    else { return nil }
    self.init(date: date, timeOfDay: time)
  }
}
