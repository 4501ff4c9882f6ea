// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

@testable import Positioning

@Suite("JSON lines")
struct JSONLineTests {
  private func text(_ write: (inout JSONLine) -> Void) -> String {
    var line = JSONLine()
    line.beginObject()
    write(&line)
    line.endObject()
    line.endLine()
    return String(decoding: line.bytes, as: UTF8.self)
  }

  @Test func `nested JSON objects are written without spaces or trailing commas`() {
    let written = text { line in
      line.constant("class", "X")
      line.beginObject("place")
      line.integer("id", 7)
      line.endObject()
      line.beginArray("days")
      for day in 1...2 {
        line.beginObject()
        line.integer("day", day)
        line.endObject()
      }
      line.endArray()
      line.beginArray("none")
      line.endArray()
      line.boolean("used", false)
    }
    #expect(
      written
        == #"{"class":"X","place":{"id":7},"days":[{"day":1},{"day":2}],"none":[],"used":false}"#
        + "\n")
  }

  @Test func `unknown and infinite values are omitted from JSON`() {
    let written = text { line in
      line.integer("a", nil)
      line.decimal("b", nil, places: 3)
      line.decimal("c", .nan, places: 3)
      line.decimal("d", -.infinity, places: 3)
      line.string("e", nil)
      line.time("f", nil)
    }
    #expect(written == "{}\n")
  }

  @Test(arguments: [0, 9, 10, 99, 100, -1, 1234, 99_999, 100_000, .max, .min] as [Int])
  func `whole numbers of every length are written to JSON`(value: Int) {
    #expect(text { $0.integer("n", value) } == "{\"n\":\(value)}\n")
  }

  @Test func `JSON integers from -10 to 1100 are written correctly as Int and Double`() {
    for value in -10...1100 {
      #expect(text { $0.integer("n", value) } == "{\"n\":\(value)}\n")
      #expect(text { $0.decimal("n", Double(value), places: 1) } == "{\"n\":\(value).0}\n")
    }
    #expect(text { $0.decimal("n", -0.0, places: 1) } == "{\"n\":0.0}\n")
  }

  @Test func `in JSON decimals, trailing zeros are trimmed, and zero has no sign`() {
    #expect(text { $0.decimal("n", 84.4, places: 4) } == "{\"n\":84.4}\n")
    #expect(text { $0.decimal("n", 0, places: 4) } == "{\"n\":0.0}\n")
    #expect(text { $0.decimal("n", -0.00001, places: 4) } == "{\"n\":0.0}\n")
    #expect(text { $0.decimal("n", 10.5, places: 9, trims: false) } == "{\"n\":10.500000000}\n")
  }

  @Test func `a JSON decimal too large for scaling is written in its shortest form`() {
    #expect(text { $0.decimal("n", 1e12, places: 9) } == "{\"n\":1000000000000.0}\n")
    #expect(text { $0.decimal("n", -1e300, places: 2) } == "{\"n\":-1e+300}\n")
    #expect(text { $0.decimal("n", 0x1p52, places: 1) } == "{\"n\":4503599627370496.0}\n")
  }

  @Test func `JSON decimals are rounded as by printf for 200,000 doubles`() {
    var generator = SeededGenerator(seed: 42)
    for index in 0..<200_000 {
      let places = 1 + index % 9
      let bits = generator.next()
      let value: Double =
        switch index % 4 {
        // Degrees, as received.
        case 0: Double(Int64(bitPattern: bits) % 180_000_000_000) / 1e9
        // Many exact ties: multiples of 1/1024.
        case 1: Double(Int64(bitPattern: bits) % 100_000) / 1024
        // Any magnitude from subnormal numbers up to about 10^9.
        case 2: Double(bitPattern: bits & ~(0x7FF << 52) | (bits >> 2) % 1052 << 52)
        default: Double(Int64(bitPattern: bits) % 1_000_000) / 1000
        }
      let expected = String(format: "%.\(places)f", value)
      let unsigned =
        expected.allSatisfy { "-0.".contains($0) } ? expected.drop { $0 == "-" } : expected[...]
      let written = text { $0.decimal("n", value, places: places, trims: false) }
      guard written == "{\"n\":\(unsigned)}\n" else {
        Issue.record("\(value.debugDescription) to \(places) places: \(written) is not \(expected)")
        return
      }
    }
  }

  @Test func `only the characters that JSON requires to be escaped are escaped`() throws {
    let wild = "a\"b\\c\n\t\u{1}\u{1F}/ é 漢 \u{7F}"
    let written = text { $0.string("s", wild) }
    #expect(written == "{\"s\":\"a\\\"b\\\\c\\n\\t\\u0001\\u001f/ é 漢 \u{7F}\"}\n")
    let read = try JSONDecoder().decode([String: String].self, from: Data(written.utf8))
    #expect(read == ["s": wild])
  }

  @Test func `times in JSON have 3 to 9 fractional digits of a second`() throws {
    let date = try #require(UTCDate(year: 2009, month: 7, day: 24))
    func time(_ nanosecond: UInt32, second: UInt8 = 6) throws -> String {
      let clock = try #require(
        UTCTimeOfDay(hour: 10, minute: 47, second: second, nanosecond: nanosecond))
      return text { $0.time("t", UTCTime(date: date, timeOfDay: clock)) }
    }
    #expect(try time(0) == "{\"t\":\"2009-07-24T10:47:06.000Z\"}\n")
    #expect(try time(120_000_000) == "{\"t\":\"2009-07-24T10:47:06.120Z\"}\n")
    #expect(try time(123_400_000) == "{\"t\":\"2009-07-24T10:47:06.1234Z\"}\n")
    #expect(try time(1) == "{\"t\":\"2009-07-24T10:47:06.000000001Z\"}\n")
    #expect(try time(0, second: 60) == "{\"t\":\"2009-07-24T10:47:60.000Z\"}\n")
    #expect(text { $0.date("d", date) } == "{\"d\":\"2009-07-24\"}\n")
    #expect(text { $0.time("t", UTCTime(secondsSince1970: .max)) } == "{}\n")
  }

  @Test func `JSONLine.removeAll() empties the buffer`() {
    var line = JSONLine(reservingCapacity: 64)
    for _ in 0..<3 {
      line.beginObject()
      line.integer("n", 1)
      line.endObject()
      line.endLine()
    }
    #expect(line.bytes.count == 24)
    line.removeAll()
    #expect(line.bytes.isEmpty)
  }
}
