// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// The counts of received lines, and the texts about them.
@Suite struct ReceivedLinesTests {
  private static let malformedTime = "GPRMC,.00,A,4530.000,N,00730.000,E,0.2,154.3,,,,A,S"
  private static let unquoted = "GPRMC,120000.00,A,4530.0000,N,00730.0000,E,0.0,,010326,,,A"

  private static func decoder(
    _ lines: [[UInt8]], allowsMissingChecksum: Bool = false, maxErrors: Int = 0,
    deliver: (FixSourceEvent) -> Void = { _ in }
  ) -> NMEADecoder {
    var decoder = NMEADecoder(
      source: "test", pace: .recorded, allowsMissingChecksum: allowsMissingChecksum,
      maxErrors: maxErrors)
    for line in lines { decoder.decode(line.span, receivedAt: nil, deliver: deliver) }
    decoder.finish(deliver: deliver)
    return decoder
  }

  private static func text(_ text: String) -> [UInt8] { Array("\(text)\r\n".utf8) }

  @Test func `each line is counted once, by the result of reading it`() {
    let lines = Self.decoder([
      line(Self.unquoted), line("GPXTE,A,A,0.67,L,N"), line(Self.malformedTime),
      line("GPGLL,4530.00,N,00730.00,E ,120000.00,A,A"), Self.text("$GPGGA,1*00"),
      Self.text("$GPGGA,1"), Self.text("$ ls -l"), Array("$GPGGA,12".utf8), line("GPTXT,1,1,2,x"),
    ]).counters.lines
    #expect(
      lines.text
        == "\(lines.bytes) bytes, 9 lines: 2 used, 1 of no interest, 2 refused (the first: "
        + "GPRMC field 1: not a time of day), 1 with a wrong checksum, 1 without a checksum, "
        + "1 cut off, 1 not NMEA")
    #expect(lines.badLineCount == 6)
    #expect(ReceivedLines().text == "0 bytes, no line of NMEA")
  }

  @Test func `a refused sentence with a right checksum shows that the baud rate is right`() {
    let counters = Self.decoder([
      line(Self.malformedTime), line(Self.malformedTime), line(Self.malformedTime),
    ]).counters
    #expect(counters.sentences == 0 && counters.readableSentences == 3)
    #expect(LineInput(counters) == .refused)
    let start = MonotonicTime(nanoseconds: 0)
    var detector = BaudRateDetector(present: 9600, at: start)
    #expect(
      detector.note(sentences: counters.readableSentences, bytes: counters.bytes, at: start)
        == .locked(baud: 9600))
  }

  @Test func `the kind of a line's data tells wrong checksums from missing ones and from text`() {
    func input(_ lines: [UInt8]...) -> LineInput { LineInput(Self.decoder(lines).counters) }
    let (missing, wrong) = (Self.text("$\(Self.unquoted)"), Self.text("$\(Self.unquoted)*00"))
    #expect(input(missing, missing) == .unchecked)
    #expect(input(missing, wrong) == .damaged)
    #expect(input(wrong) == .damaged)
    #expect(input(Self.text("user@board:~$ ls"), Self.text("$ x, y")) == .text)
    #expect(input(missing, line(Self.unquoted)) == .nmea)
  }

  @Test func `the first errors of each kind have line, sentence, field, reason and bytes`() {
    let flawed = line("GPVTG,400,T,,M,0.0,N,0.0,K,A")
    let decoder = Self.decoder(
      [line(Self.unquoted), line(Self.malformedTime), flawed]
        + [[UInt8]](repeating: Self.text("$GPGGA,1*00"), count: 5), maxErrors: 3)
    #expect(
      decoder.firstErrors == [
        #"line 2, GPRMC field 1: not a time of day ".00""#,
        #"line 3, GPVTG field 1: out of range "400""#,
        #"line 4: checksum is 00, computed 4B "$GPGGA,1*00""#,
        #"line 5: checksum is 00, computed 4B "$GPGGA,1*00""#,
      ])
    #expect(Self.decoder([line(Self.malformedTime)]).firstErrors.isEmpty)
  }

  @Test func `fixes are marked while sentences without a checksum are accepted`() {
    var fixes: [Fix] = []
    let second = Self.unquoted.replacing("120000", with: "120001")
    let third = Self.unquoted.replacing("120000", with: "120002")
    let decoder = Self.decoder(
      [Self.text("$\(Self.unquoted)"), line(second), line(third)], allowsMissingChecksum: true
    ) { if case .fix(let fix) = $0 { fixes.append(fix) } }
    #expect(fixes.map(\.isUnchecked) == [true, false, false])
    let lines = decoder.counters.lines
    #expect(lines.text.hasSuffix("3 lines: 3 used (1 without a checksum)"), "\(lines.text)")
  }

  @Test func `noise without a checksum does not show that the baud rate is right`() {
    let noise = [
      "$\u{1}x", "$GPXTE,A,A,0.67,L,N", "$ABCDEFGH,1", "$,,,,,,,,,", "$" + Self.malformedTime,
    ]
    let counters = Self.decoder(noise.map(Self.text), allowsMissingChecksum: true).counters
    #expect(counters.readableSentences == 0)
    #expect(counters.firstRefused == "GPRMC field 1: not a time of day")
  }
}
