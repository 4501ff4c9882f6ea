// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

@testable import NMEA

/// A unit conversion by a ratio of whole numbers.
struct Ratio: CustomTestStringConvertible, Sendable {
  var testDescription: String
  var multiplier: UInt64
  var divisor: UInt64

  static let all = [
    Ratio(testDescription: "no conversion", multiplier: 1, divisor: 1),
    Ratio(testDescription: "knots", multiplier: 463, divisor: 900),
    Ratio(testDescription: "kilometres per hour", multiplier: 5, divisor: 18),
    Ratio(testDescription: "feet", multiplier: 381, divisor: 1250),
  ]
}

private let zeros = String(repeating: "0", count: 60)

private let manyDigits: [(String, Double)] = [
  ("12345678901234567890123456789012345", 12345678901234567890123456789012345.0),
  ("0.00000000000000000000000000000000001", 1e-35),
  ("1." + zeros + "1", 1),
  (zeros + "1.5" + zeros, 1.5),
  // Exactly halfway between two doubles, except for a very distant digit.
  ("9007199254740993." + String(repeating: "0", count: 300) + "1", 9007199254740994),
  ("9007199254740993." + String(repeating: "0", count: 300), 9007199254740992),
  ("0." + zeros, 0),
]

@Suite("Numbers in NMEA fields", .oneAtATime)
struct FieldReaderNumbersTests {
  /// Reads a field that contains only a number; `nil` if it is malformed.
  private func number(_ text: String, _ ratio: Ratio = Ratio.all[0]) -> Double? {
    let bytes = [UInt8](text.utf8) + [0x2A]
    guard var fields = FieldReader(bytes.span, from: 0, to: text.utf8.count) else { return nil }
    let value = fields.decimal(times: ratio.multiplier, over: ratio.divisor)
    return fields.isAtEnd && fields.flaw == nil ? value : nil
  }

  private func check(_ text: String, _ ratio: Ratio) {
    let exact = ExactValue(
      decimal: text, times: UInt32(ratio.multiplier), over: UInt32(ratio.divisor))
    guard let value = number(text, ratio), exact.rounds(to: value),
      number("-" + text, ratio) == -value
    else {
      Issue.record("\(text) is read as \(String(describing: number(text, ratio)))")
      return
    }
  }

  @Test(arguments: Ratio.all)
  func `a random number is rounded to the nearest double in any unit`(ratio: Ratio) {
    var random = Random(seed: 3)
    for _ in 0..<RandomInputs.count(25_000) { check(DecimalText.any(&random), ratio) }
  }

  @Test(arguments: Ratio.all)
  func `a number with few digits is rounded to the nearest double`(ratio: Ratio) {
    var random = Random(seed: 4)
    for _ in 0..<RandomInputs.count(10_000) { check(DecimalText.usual(&random), ratio) }
  }

  @Test(arguments: Ratio.all)
  func `a number halfway between two doubles is rounded to even`(ratio: Ratio) {
    var random = Random(seed: 5)
    for _ in 0..<RandomInputs.count(10_000) {
      check(
        DecimalText.tie(times: ratio.multiplier, over: UInt32(ratio.divisor), &random), ratio)
    }
  }

  @Test func `random numbers are parsed as by strtod`() {
    var random = Random(seed: 6)
    for _ in 0..<RandomInputs.count(50_000) {
      let text = DecimalText.any(&random)
      let value = number(text)
      if value != strtod(text, nil) {
        Issue.record("\(text) is read as \(String(describing: value))")
      }
    }
  }

  @Test func `conversions from knots, kilometres per hour and feet use the exact factors`() {
    #expect(number("3600", Ratio.all[1]) == 1852)
    #expect(number("3.6", Ratio.all[2]) == 1)
    #expect(number("10000", Ratio.all[3]) == 3048)
    // With a rounded factor the result would be 0.07510844444444443.
    #expect(number("0.146", Ratio.all[1]) == 0.07510888888888889)
  }

  @Test(arguments: manyDigits)
  func `numbers of up to 35 digits are read exactly`(text: String, value: Double) {
    #expect(number(text) == value)
  }

  @Test(arguments: [
    "-", "+", ".", "-.", "1.2.3", "1 ", " 1", "1e3", "0x1F", "nan", "inf", "1-", "--1", "+-1",
    "1*2", "*", "1_000", "\u{661}", "1:2", "/", "123456789012345678901234567890123456",
    String(repeating: "9", count: 900),
  ])
  func `a field that is not a number causes an error`(text: String) {
    #expect(number(text) == nil)
  }

  @Test(arguments: ["1.5", "+1.5", "01.50", "1.500"])
  func `a number may have a sign, and may begin or end with a point`(text: String) {
    #expect(number(text) == 1.5)
    #expect(number(".5") == 0.5)
    #expect(number("5.") == 5)
    #expect(number("+.5") == 0.5)
  }

  @Test(arguments: ["-0", "-0.0", "-.0", "-0.00000000000000000000000000"])
  func `a number is never a negative zero`(text: String) {
    #expect(number(text)?.sign == .plus)
  }
}
