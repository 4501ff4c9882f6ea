// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("Sentence reader")
struct SentenceReaderTests {
  private let lenient = SentenceReader.Options(allowsMissingChecksum: true)

  @Test func `the error for a wrong checksum contains the computed and the found checksum`() {
    let reading = Reading("\n$HEHDT,341.8,T*2F\r\n")
    let error = reading.errors.first
    #expect(reading.events.count == 1)
    #expect(error?.kind == .checksumMismatch(computed: 0x21, found: 0x2F))
    #expect(error?.lineNumber == 2)
    #expect(error?.address == nil)
    #expect(error?.field == nil)
    #expect(error?.value.description == "$HEHDT,341.8,T*2F")
    #expect(error?.isRefusal == true)
  }

  @Test func `a line with a wrong checksum is refused even if missing checksums are allowed`() {
    #expect(Reading("$HEHDT,341.8,T*2F\n", options: lenient).sentences.isEmpty)
  }

  @Test func `a line without a checksum is refused unless missing checksums are allowed`() throws {
    let strict = Reading("$HEHDT,341.8,T\r\n")
    #expect(strict.errors.map(\.kind) == [.missingChecksum])
    #expect(strict.errors.map(\.isRefusal) == [true])
    #expect(strict.errors.first?.value.description == "$HEHDT,341.8,T")
    let reading = Reading("$HEHDT,341.8,T\r\n", options: lenient)
    #expect(try #require(reading.hdt).headingDegreesTrue == 341.8)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: ["HEHDT,341.8,T", "HEHDT,1", "HEHDT,", "HEHDT", "GPTXT,01,01,02,", "PUBX,00"])
  func `if missing checksums are allowed, a sentence is read in the same way without its checksum`(body: String) throws
  {
    let reading = Reading("$\(body)\n", options: lenient)
    #expect(reading.sentences.count == 1)
    #expect(reading.errors.isEmpty)
    #expect(reading.sentences == Reading(line(body) + "\n").sentences)
  }

  @Test func `an asterisk at the end of a sentence without a checksum is ignored`() {
    let reading = Reading("$HEHDT,341.8,T*\n$HEHDT,341.8,T*2\n", options: lenient)
    #expect(reading.sentences == Reading(line("HEHDT,341.8,T") + "\n").sentences)
    #expect(reading.errors.map(\.kind) == [.unexpectedLetter])
    #expect(reading.errors.map(\.value.description) == ["T*2"])
  }

  @Test(arguments: ["$*00", "$,*2C", "$,,,,,,,,*00", "$,GPHDT,1*", "$A*41", "$HDT*58"])
  func `a line without an address is refused`(start: String) {
    let text = start.hasSuffix("*") ? line(String(start.dropFirst().dropLast())) : start
    let reading = Reading(text + "\n")
    #expect(reading.errors.map(\.kind) == [.malformedAddress])
    #expect(reading.errors.first?.value.description == text)
    #expect(reading.events.count == 1)
  }

  @Test(arguments: ["$", "!", "$,,,,,,,,,"])
  func `a sentence without content is refused even if missing checksums are allowed`(text: String) {
    #expect(Reading(text + "\n", options: lenient).errors.map(\.kind) == [.malformedAddress])
  }

  @Test(arguments: [
    ("GPXTE,A,A,0.67,L,N", "GPXTE"), ("PGRMC,A,0,0", "PGRMC"), ("PMTK001,604,3", "PMTK001"),
    ("ABCDEFGH,1", "ABCDEFGH"), ("ABCDEFGHI,1", "ABCDEFGH"), ("ABCDEFGHIJ", "ABCDEFGH"),
    ("GPGGA2,1", "GPGGA2"), ("GGA,092750", "GGA"), ("XGGA,1", "XGGA"), ("gphdt,1,T", "gphdt"),
    ("PRMC,1,1,1", "PRMC"), ("GPGGA*,1", "GPGGA*"), ("GPGGA\u{7F},", "GPGGA?"),
    ("PUBX,03,01", "PUBX"), ("PUBX,,", "PUBX"), ("PUBX,", "PUBX"), ("PUBX,0", "PUBX"), ("PGTOP,12,1", "PGTOP"),
    ("PCD,12,1", "PCD"), ("PQTMANTELOPE,3,2,1,1", "PQTMANTE"), ("PSTI,032,003832.000,290322,A", "PSTI"),
    ("PASHR,ACK", "PASHR"), ("PASHR,POS,1,10,185345.00,4717.1,N,00833.9,E,500", "PASHR"),
    ("PASHR,ATTX,1,2,3", "PASHR"), ("PASHR,ARA,1,2,3", "PASHR"),
  ])
  func `sentences of unsupported types are passed over`(body: String, address: String) {
    let reading = read(body)
    #expect(reading.unsupported == [address])
    #expect(reading.events.count == 1)
  }

  @Test func `encapsulation sentences are passed over`() {
    let body = "GPGGA,092750.000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,"
    let reading = Reading(line(body).replacing(#/^\$/#, with: "!") + "\n")
    #expect(reading.unsupported == ["GPGGA"])
  }

  @Test func `the reader delivers a sentence before the error in it, and continues after an error`() {
    let input = [line("HEHDT,400,T"), line("HEHDT,1,X"), "$HEHDT,1,T*00", line("HEHDT,2,T")]
    let reading = Reading(input.joined(separator: "\n") + "\n")
    #expect(
      reading.sentences.map {
        if case .hdt(let fields) = $0 { fields.headingDegreesTrue } else { 0 }
      } == [nil, 2])
    #expect(reading.errors.map(\.lineNumber) == [1, 2, 3])
    #expect(reading.errors.map(\.isRefusal) == [false, true, true])
    if case .sentence = reading.events.first {} else { Issue.record("error before the sentence") }
  }

  @Test func `the reader reports one error per sentence: the first refusal, or else the first error`() {
    let first = read("GPVTG,400,T,500,M,x,N,y,K,A")
    #expect(first.errors.map(\.field) == [1])
    let refusing = read("GPVTG,400,T,500,M,x,Q,y,Z,A")
    #expect(refusing.errors.map(\.field) == [6])
    #expect(refusing.sentences.isEmpty)
  }

  @Test func `surplus fields of a sentence are ignored`() {
    let reading = read("HEHDT,341.8,T" + String(repeating: ",x", count: 400))
    #expect(reading.hdt?.headingDegreesTrue == 341.8)
    #expect(reading.errors.isEmpty)
  }

  @Test func `in sentence errors, long values are cut and unprintable bytes are question marks`() {
    let value = String(repeating: "9", count: 40)
    #expect(read("HEHDT,\(value),T").errors.first?.value.description == value.prefix(24) + "...")
    let body = Array("HEHDT,".utf8) + [0x80, 0x7F, 0xFF] + Array(",T".utf8)
    #expect(Reading(lineBytes(body) + [0x0A]).errors.first?.value.description == "???")
  }

  @Test func `lines are numbered whether they end with LF, CR, CR LF or CR CR LF, wherever they are split`() {
    for ending in ["\n", "\r", "\r\n", "\r\r\n"] {
      let bytes = [UInt8]((0..<3).map { _ in "$GPGLL,bad*00\(ending)" }.joined().utf8)
      for cut in 0..<bytes.count {
        #expect(Reading(bytes, cutAt: [cut]).errors.map(\.lineNumber) == [1, 2, 3], "\(cut)")
      }
    }
  }

  @Test func `an asterisk without digits ends the fields of a line whose checksum may be missing`() throws {
    let reading = Reading("$GPTHS,10.5,A*\r\n", options: lenient)
    #expect(reading.ths?.status == UInt8(ascii: "A"))
    #expect(reading.errors.isEmpty)
  }
}
