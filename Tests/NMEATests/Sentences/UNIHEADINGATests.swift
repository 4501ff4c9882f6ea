// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("UNIHEADINGA")
struct UNIHEADINGATests {
  private static let header = "UNIHEADINGA,78,GPS,FINE,2428,116060000,0,0,18,11;"

  @Test func `UNIHEADINGA: a wrong CRC refuses the log`() {
    let reading = Reading("#\(Self.header)SOL_COMPUTED,NONE,0,0,0*00000000\r\n")
    #expect(reading.sentences.isEmpty)
    guard case .checksumMismatch(let computed, 0)? = reading.errors.first?.kind else {
      Issue.record("\(reading.errors)")
      return
    }
    #expect(computed > 0xFF)
  }

  @Test(arguments: ["UNIHEADINGA,", "UNIHEADINGA,;", "UNIHEADINGA,1,2", "UNIHEADINGA,1;,,,,,"])
  func `UNIHEADINGA: a log without header, with empty fields or without a CRC causes no stop`(body: String) {
    SentenceCase(String(decoding: log(body), as: UTF8.self), "uniheadinga", [:]).check()
    #expect(Reading("#\(body)\r\n").errors.map(\.kind) == [.missingChecksum])
  }

  @Test func `UNIHEADINGA: a malformed field is reported with its number`() {
    let reading = readLog("\(Self.header)SOL_COMPUTED,NARROW_INT,1.4,400,0")
    #expect(reading.errors.map(\.field) == [12])
    #expect(reading.errors.map(\.kind) == [.outOfRange])
  }

  @Test func `UNIHEADINGA: the log is read wherever the input is split, in a recording and live`() {
    let bytes =
      log("\(Self.header)SOL_COMPUTED,NARROW_INT,1.4,179.0,0")
      + [UInt8]("$GNTHS,244.28,A*11\r\n".utf8)
    for skipsComments in [false, true] {
      let options = SentenceReader.Options(
        allowsMissingChecksum: false, skipsComments: skipsComments)
      let whole = Reading(bytes, options: options)
      #expect(whole.addresses == ["UNIHEADI", "GNTHS"])
      for cut in 1..<bytes.count {
        #expect(Reading(bytes, cutAt: [cut], options: options) == whole, "\(cut)")
      }
    }
  }

  @Test func `a comment that begins like the log remains a comment`() {
    let text = "#UNIHEADING $GNTHS,244.28,A*11\n# UNIHEADINGA,\n#\n$GNTHS,244.28,A*11\n"
    let options = SentenceReader.Options(allowsMissingChecksum: false, skipsComments: true)
    let reading = Reading(text, options: options)
    #expect(reading.addresses == ["GNTHS"])
    #expect(reading.framing.skippedBytes == 30 + 14 + 1)
    #expect(Reading(text).addresses == ["GNTHS", "GNTHS"])
  }
}
