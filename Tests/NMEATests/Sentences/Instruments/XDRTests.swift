// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("XDR")
struct XDRTests {
  private func texts(_ reading: Reading) throws -> [String] {
    try #require(reading.xdr).measurements.map { measurement in
      let unit = measurement.unit.map { String(UnicodeScalar($0)) } ?? "-"
      let value = measurement.value.map { "\($0)" } ?? "-"
      return "\(UnicodeScalar(measurement.type)) \(value) \(unit) \(measurement.name)"
    }
  }

  @Test func `XDR: every group of a real sentence is read`() throws {
    let reading = Reading(
      "$IIXDR,C,18.20,C,ENV_WATER_T,C,28.69,C,ENV_OUTAIR_T,P,101400,P,ENV_ATMOS_P*4C\r\n")
    #expect(
      try texts(reading) == [
        "C 18.2 C ENV_WATER_T", "C 28.69 C ENV_OUTAIR_T", "P 101400.0 P ENV_ATMOS_P",
      ])
    #expect(reading.errors.isEmpty)
  }

  @Test func `XDR: groups without a value are skipped`() throws {
    let reading = Reading(
      "$IIXDR,C,,C,AIRTEMP,A,-2.9,D,HEEL,A,2.1,D,TRIM,P,,B,BARO,A,-4.1,D,RUDDER*24\r\n")
    #expect(try texts(reading) == ["A -2.9 D HEEL", "A 2.1 D TRIM", "A -4.1 D RUDDER"])
    #expect(reading.errors.isEmpty)
  }

  @Test func `XDR: a group without a unit or a name is read`() throws {
    #expect(
      try texts(read("HCXDR,A,169,D,PITCH,G,371,,MAGX")) == ["A 169.0 D PITCH", "G 371.0 - MAGX"])
    #expect(try texts(Reading("$YXXDR,P,0.98966,B*57\r\n")) == ["P 0.98966 B "])
    #expect(try texts(Reading("$YXXDR*4F\r\n")) == [])
  }

  @Test func `XDR: names are converted to upper case and cut after 14 bytes`() throws {
    #expect(try texts(read("IIXDR,P,1.0,B,Barometer")) == ["P 1.0 B BAROMETER"])
    let name = "ABCDEFGHIJKLMNOP"
    #expect(try texts(read("IIXDR,P,1.0,B,\(name)")) == ["P 1.0 B ABCDEFGHIJKLMN"])
  }

  @Test func `XDR: groups after the fifth are dropped`() throws {
    let groups = (0..<9).map { ",C,\($0),C,A" }.joined()
    #expect(try texts(read("IIXDR\(groups)")) == (0..<5).map { "C \($0).0 C A" })
  }

  @Test func `XDR: a transducer name matches only a text that is equal in full`() throws {
    let name = try #require(read("IIXDR,P,1.0,B,Baro").xdr?.measurements.first).name
    #expect(name.matches("BARO"))
    #expect(!name.matches("BAROMETER"))
    #expect(!name.matches("BAR"))
  }

  @Test(arguments: [
    Flaw("IIXDR,P,1.0,B,C,18.2,C,WATER", .unexpectedLetter, field: 5, "18.2", refused: true),
    Flaw("IIXDR,C,18,2,C,WATER", .unexpectedLetter, field: 5, "WATER", refused: true),
    Flaw("IIXDR,C,1-8,C,WATER", .malformedNumber, field: 2, "1-8"),
  ])
  func `XDR: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }
}
