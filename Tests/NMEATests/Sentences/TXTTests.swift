// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("TXT")
struct TXTTests {
  @Test(arguments: ["a,b,,c", "2*3*FF", "a*b*"])
  func `TXT: commas and asterisks in the text are kept`(text: String) throws {
    let fields = try #require(read("GPTXT,01,01,02,\(text)").txt)
    #expect(fields.text.description == text)
    #expect(fields.text.count == text.utf8.count)
  }

  @Test func `TXT: bytes that are not ASCII are shown as question marks`() throws {
    let body = Array("GPTXT,01,01,02,".utf8) + [0x41, 0x7F, 0x80, 0xFF, 0x42]
    let fields = try #require(Reading(lineBytes(body) + [0x0A]).txt)
    #expect(fields.text.description == "A???B")
    #expect(fields.text.starts(with: "A"))
    #expect(!fields.text.starts(with: "AB"))
  }

  @Test(arguments: [79, 80, 81, 400])
  func `TXT: text above the capacity is cut and marked as cut`(length: Int) throws {
    let fields = try #require(
      read("GPTXT,01,01,02," + String(repeating: "x", count: length)).txt)
    #expect(fields.text.count == min(length, 80))
    #expect(fields.text.isCut == (length > 80))
  }

  @Test(
    arguments: [
      ("01,01,02,ANTSTATUS=OK", .good), ("01,01,02,ANTSTATUS=OPEN", .open),
      ("01,01,01,ANTSTATUS=SHORT", .shorted), ("01,01,02,ANTSTATUS=INIT", .unknown),
      ("01,01,02,ANTSTATUS=DONTKNOW", .unknown), ("01,01,01,ANTENNA OPEN", .open),
      ("01,01,01,ANTENNA SHORT", .shorted), ("01,01,01,ANTENNA OK", .good),
      ("01,01,01,ANTENNAOPEN", .open), ("01,01,02,ANT_OPEN", .open), ("01,01,02,ANT OK", .good),
      ("01,01,02,Antenna: open", .open), ("01,01,02,Antenna status: short", .shorted),
      ("01,01,02,ANT", nil), ("01,01,02,ANTARCTICA OPEN", nil),
      ("01,01,02,ANTSUPERV=AC SD OB PDoS SR", nil),
      ("01,01,02,ANTSTATUS=", nil), ("01,01,02,no ANTSTATUS=OPEN", nil), ("01,01,02,", nil),
    ] as [(String, AntennaState?)])
  func `TXT: the state of the antenna is read in the words of several makers, in any class`(
    fields: String, antenna: AntennaState?
  ) throws {
    #expect(try #require(read("GPTXT," + fields).txt).antenna == antenna)
  }
}
