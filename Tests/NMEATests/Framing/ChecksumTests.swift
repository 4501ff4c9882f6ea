// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("NMEA checksum")
struct ChecksumTests {
  private func check(_ line: String) -> Checksum.Verdict {
    let bytes = [UInt8](line.utf8)
    return Checksum.check(bytes.span, exclusiveOr: bytes.dropFirst().reduce(0, ^))
  }

  @Test(arguments: ["*5F", "*5f"])
  func `checksum digits may be upper or lower case`(ending: String) {
    let body =
      "$PUBX,00,081350.00,4717.113210,N,00833.915187,E,546.589,G3,2.1,2.0,0.007,77.52,0.007,,"
      + "0.92,1.19,0.77,9,0,0"
    #expect(check(body + ending) == .valid(end: body.utf8.count))
  }

  @Test(arguments: [" ", "x", "*", "*1", "*zz", " 12:00:00", "\u{E4}"])
  func `text after the checksum of a sentence is ignored`(text: String) {
    #expect(check("$HEHDT,341.8,T*21" + text) == .valid(end: 14))
  }

  @Test(arguments: ["2*3", "*", "*21*", "a*FF,b"])
  func `asterisks before the last asterisk belong to the sentence`(text: String) {
    let body = "GPTXT,01,01,02," + text
    #expect(check(line(body)) == .valid(end: body.utf8.count + 1))
  }

  @Test func `a checksum mismatch reports the computed and the found checksum`() {
    #expect(check("$HEHDT,341.8,T*22") == .mismatch(computed: 0x21, found: 0x22))
    #expect(check("$HEHDT,341.9,T*21") == .mismatch(computed: 0x20, found: 0x21))
    #expect(check("$HEHDT,341.8,T*22 x") == .mismatch(computed: 0x21, found: 0x22))
    #expect(check("$*01") == .mismatch(computed: 0, found: 1))
  }

  @Test(arguments: [
    "", "$", "$*", "$*2", "*21", "$HEHDT,341.8,T", "$HEHDT,341.8,T*", "$HEHDT*2", "$A*G1",
  ])
  func `an incomplete checksum is treated as missing`(line: String) {
    #expect(check(line) == .missing)
  }

  @Test func `the checksum of an empty sentence can be valid`() { #expect(check("$*00") == .valid(end: 1)) }

  @Test func `only hexadecimal digits are accepted as a checksum`() {
    for sum in UInt8.min...UInt8.max where sum >= 0x20 {
      let text = String(sum, radix: 16, uppercase: true)
      #expect(
        Checksum.check(([0x24, sum] + Array("*\(text)".utf8)).span, exclusiveOr: 0)
          == .valid(end: 2))
    }
    for first in UInt8.min...UInt8.max {
      let isDigit = HexDigit.value(first) != nil
      #expect(isDigit == "0123456789abcdefABCDEF".utf8.contains(first))
      #expect(Checksum.isPresent(atEndOf: [0x24, 0x2A, first, 0x30].span) == isDigit)
      #expect(Checksum.isPresent(atEndOf: [0x24, 0x2A, 0x30, first].span) == isDigit)
    }
  }

  @Test func `exclusiveOr(of:) combines all bytes`() {
    #expect(Checksum.exclusiveOr(of: [UInt8]().span) == 0)
    #expect(Checksum.exclusiveOr(of: [UInt8]("HEHDT,341.8,T".utf8).span) == 0x21)
  }
}
