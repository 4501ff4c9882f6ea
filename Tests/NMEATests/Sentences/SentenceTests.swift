// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

extension SentenceTable {
  static let all = [
    gga, rmc, gll, gns, pubx00, gsa, gsv, gst, gbs, pgrme, psrfepe, vtg, pgrmv, hdg, hdm, hdt, ths, hpr, pashr, psti036,
    uniheadinga, zda, dtm, pgrmm, pgrmz, txt, pgtop, pcd, pqtmantennastatus, mda, mtw, mwd, mwv, xdr,
  ]
}

@Suite("Sentences")
struct SentenceTests {
  @Test(arguments: SentenceTable.all.flatMap(\.cases))
  func `every field is read, and empty and missing fields are unknown and cause no error`(sentence: SentenceCase) {
    sentence.check()
  }

  @Test(arguments: SentenceTable.all.flatMap(\.flaws))
  func `a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }

  @Test func `a Sentence occupies at most 128 bytes, which LLVM copies without memcpy`() {
    #expect(MemoryLayout<Sentence?>.size <= 128)
  }

  @Test(arguments: [
    ("N", ModeIndicator.notValid), ("NNS", .simulator), ("SM", .manual), ("ME", .estimated),
    ("EAN", .autonomous), ("AD", .differential), ("DP", .precise), ("PF", .rtkFloat),
    ("FRN", .rtkFixed), ("?", ModeIndicator(rawValue: 0x3F)), ("AANN", .autonomous), ("NRDFNN", .rtkFixed),
  ])
  func `GNS: bestMode is the best mode of all systems`(modes: String, best: ModeIndicator) throws {
    let fields = try #require(read("GNGNS,,,,,,\(modes),,,,,,,").gns)
    #expect(fields.bestMode == best)
  }

  @Test(arguments: [("00", 2000), ("68", 2068), ("69", 1969), ("99", 1999)])
  func `RMC: a year of two digits is expanded as gpsd does`(digits: String, year: UInt16) throws {
    let fields = try #require(read("GPRMC,000000,A,,,,,,,0101\(digits),,,A").rmc)
    #expect(fields.date == CalendarDate(year: year, month: 1, day: 1))
  }

  @Test func `RMC: a malformed date does not affect the position`() throws {
    let reading = read("GPRMC,001031,A,4530.0,N,09030.0,W,0.1,,0604-1,,,A")
    let fields = try #require(reading.rmc)
    #expect(fields.date == nil)
    #expect(fields.latitudeDegrees == 45.5)
    #expect(fields.longitudeDegrees == -90.5)
  }

  @Test(arguments: [("A", true), ("D", true), ("V", false), ("L", false), ("a", false)])
  func `RMC: the status letters A and D are valid, and any other letter is kept`(letter: String, isValid: Bool) throws {
    let fields = try #require(read("GPRMC,001031,\(letter),4530.0,N,09030.0,W,,,,,,A").rmc)
    #expect(fields.status?.isValid == isValid)
    #expect(fields.status?.rawValue == letter.utf8.first)
  }

  @Test(arguments: [("14", 2014), ("68", 2068), ("80", 1980), ("1980", 1980), ("2200", 2200)])
  func `ZDA: a year of two digits is expanded, and a year of four digits is kept`(stated: String, year: UInt16) throws {
    let fields = try #require(read("GPZDA,195719,16,04,\(stated),-02,00").zda)
    #expect(fields.date == CalendarDate(year: year, month: 4, day: 16))
  }

  @Test(
    arguments: [
      ("10.0,M", 10), ("36.0,K", 10), ("36.0,N", 18.52), ("10.0,", nil), ("10.0,S", nil),
      (",N", nil),
    ] as [(String, Double?)])
  func `MWV: the speed is converted from its unit, and is unknown without a unit`(fields: String, speed: Double?) throws
  {
    let reading = read("WIMWV,100.2,T,\(fields),A")
    #expect(try #require(reading.mwv).speedMetersPerSecond == speed)
    #expect(try #require(reading.mwv).status == UInt8(ascii: "A"))
    #expect(reading.errors.isEmpty)
  }

  @Test func `XDR: a transducer name matches only a text that is equal in full`() throws {
    let name = try #require(read("IIXDR,P,1.0,B,Baro").xdr?.measurements.first).name
    #expect(name.matches("BARO"))
    #expect(!name.matches("BAROMETER"))
    #expect(!name.matches("BAR"))
  }
}
