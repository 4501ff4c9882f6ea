// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// Completion of live epochs: with the learned last sentence of the cycle, or after a silence.
@Suite struct CycleTests {
  private func rmc(_ second: Int) -> String {
    "GPRMC,1200\(second / 10)\(second % 10),A,4807.038,N,01131.000,E,0.5,084.4,211126,,,A"
  }
  private func gga(_ second: Int, talker: String = "GP") -> String {
    "\(talker)GGA,1200\(second / 10)\(second % 10),4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,"
  }
  private let gsa = "GPGSA,A,3,04,05,09,12,24,25,29,31,,,,,1.8,0.9,1.5"
  private let vtg = "GPVTG,084.4,T,,M,0.5,N,0.9,K,A"

  /// Sends one cycle per second, with a few milliseconds between its sentences.
  ///
  /// Returns the number of fixes delivered with the last byte of each cycle.
  private func play(_ fixture: inout DecoderFixture, seconds: Range<Int>, _ cycle: (Int) -> [String]) -> [Int] {
    seconds.map { second in
      let before = fixture.fixes.count
      fixture.send(cycle(second))
      let withLastByte = fixture.fixes.count - before
      fixture.pause(milliseconds: 900)
      return withLastByte
    }
  }

  @Test func `after three cycles, the last sentence of a cycle completes the epoch`() {
    var fixture = DecoderFixture(.live)
    let counts = play(&fixture, seconds: 0..<8) { [gga($0), gsa, rmc($0), vtg] }
    #expect(counts == [0, 0, 0, 1, 1, 1, 1, 1])
    #expect(fixture.fixes.count == 8, "silence completes the first three epochs")
    #expect(fixture.fixes.map(stamp).last == "2026-11-21 12:0:7")
    #expect(fixture.decoder.counters.lateReports == 0)
  }

  @Test func `a last sentence that occurs once per satellite system also completes the epoch`() {
    var fixture = DecoderFixture(.live)
    let counts = play(&fixture, seconds: 0..<8) {
      [
        rmc($0), gga($0), "GNGSA,A,3,04,05,,,,,,,,,,,1.8,0.9,1.5",
        "GNGSA,A,3,70,71,,,,,,,,,,,1.8,0.9,1.5",
      ]
    }
    #expect(counts.suffix(4) == [1, 1, 1, 1])
    #expect(fixture.fixes.count == 8)
    #expect(fixture.decoder.counters.lateReports == 0)
  }

  @Test func `a sentence with a time that is added to a cycle becomes the new last sentence`() {
    var fixture = DecoderFixture(.live)
    _ = play(&fixture, seconds: 0..<6) { [rmc($0), gga($0)] }
    #expect(fixture.fixes.count == 6)
    _ = play(&fixture, seconds: 6..<7) {
      [rmc($0), gga($0), "GPGLL,4807.038,N,01131.000,E,12000\($0),A,A"]
    }
    #expect(fixture.decoder.counters.lateReports == 1)
    let counts = play(&fixture, seconds: 7..<13) {
      [rmc($0), gga($0), "GPGLL,4807.038,N,01131.000,E,1200\($0 / 10)\($0 % 10),A,A"]
    }
    #expect(counts.suffix(2) == [1, 1])
    #expect(fixture.fixes.map(stamp) == (0..<13).map { "2026-11-21 12:0:\($0)" }, "one fix per epoch")
  }

  @Test func `a sentence without a time that is added to a cycle becomes the new last sentence`() {
    var fixture = DecoderFixture(.live)
    _ = play(&fixture, seconds: 0..<6) { [rmc($0), gga($0)] }
    _ = play(&fixture, seconds: 6..<7) { [rmc($0), gga($0), vtg] }
    #expect(fixture.decoder.counters.lateReports == 1)
    let counts = play(&fixture, seconds: 7..<13) { [rmc($0), gga($0), vtg] }
    #expect(counts.suffix(2) == [1, 1])
    #expect(fixture.fixes.count == 13)
  }

  @Test func `a last sentence that is no longer sent is unlearned without losing an epoch`() {
    var fixture = DecoderFixture(.live)
    _ = play(&fixture, seconds: 0..<6) { [rmc($0), gga($0), vtg] }
    let counts = play(&fixture, seconds: 6..<14) { [rmc($0), gga($0)] }
    #expect(counts.suffix(3) == [1, 1, 1])
    #expect(fixture.fixes.map(stamp) == (0..<14).map { "2026-11-21 12:0:\($0)" })
  }

  @Test func `a sentence without a time at the start of a cycle belongs to the following epoch`() {
    var fixture = DecoderFixture(.live)
    for second in 0..<8 {
      // The dilution identifies the epoch of each GSA.
      fixture.send("GPGSA,A,3,04,05,09,12,,,,,,,,,1.8,\(second + 1).0,1.5", rmc(second), gga(second))
      fixture.pause(milliseconds: 900)
    }
    for (index, fix) in fixture.fixes.enumerated().dropFirst(4) {
      #expect(fix.dilution.position == 1.8, "\(index)")
      #expect(fix.mode == .threeDimensional)
    }
    #expect(fixture.fixes.count == 8)
  }

  @Test func `an epoch is completed after 250 ms of silence, and not earlier`() {
    var fixture = DecoderFixture(.live)
    fixture.send(rmc(0), gga(0))
    fixture.pause(milliseconds: 249)
    #expect(fixture.fixes.isEmpty)
    fixture.pause(milliseconds: 2)
    #expect(fixture.fixes.map(stamp) == ["2026-11-21 12:0:0"])
    fixture.pause(milliseconds: 1000)
    #expect(fixture.fixes.count == 1)
  }

  @Test func `repeated positions of a receiver whose clock has stopped produce no new fix`() {
    var fixture = DecoderFixture(.live)
    _ = play(&fixture, seconds: 0..<6) { [rmc($0), gga($0)] }
    let before = fixture.fixes.count
    for _ in 0..<5 {
      fixture.send(rmc(5), gga(5))
      fixture.pause(milliseconds: 900)
    }
    #expect(fixture.fixes.count == before)
    #expect(fixture.decoder.counters.repeatedEpochs > 0)
  }

  @Test func `a receiver without a time delivers fixes of mode none`() {
    var fixture = DecoderFixture(.live)
    for _ in 0..<5 {
      fixture.send("GPRMC,,V,,,,,,,,,,N", "GPGGA,,,,,,0,00,99.99,,,,,,")
      fixture.pause(milliseconds: 900)
    }
    #expect(fixture.fixes.count == 5)
    #expect(fixture.fixes.allSatisfy { $0.mode == .none && $0.time == nil })
  }

  @Test func `the live GGAs of two talkers in one cycle make one epoch`() {
    var fixture = DecoderFixture(.live)
    _ = play(&fixture, seconds: 0..<8) { [gga($0), gga($0, talker: "GL"), rmc($0)] }
    #expect(fixture.fixes.map(stamp) == (0..<8).map { "2026-11-21 12:0:\($0)" })
  }

  @Test(arguments: [
    ("070407", "2007-4-7", "2026-11-21"), ("211126", "2026-11-21", "2026-11-21"),
    ("010716", "2016-7-1", "2016-7-1"), ("060180", "1980-1-6", "1980-1-6"),
    ("010913", "2013-9-1", "2013-9-1"),
  ])
  func `a GPS week rollover is corrected and marked in live data only, and any other old date is kept`(
    date: String, recorded: String, live: String
  ) throws {
    let sentence = "GPRMC,120000,A,4807.038,N,01131.000,E,0.5,084.4,\(date),,,A"
    var log = DecoderFixture(.recorded)
    log.send(sentence)
    log.finish()
    #expect(log.fixes.map(stamp) == ["\(recorded) 12:0:0"])
    #expect(log.fixes.first?.isDateCorrected == false)
    let clock = try #require(UTCDate(year: 2026, month: 11, day: 27))
    for trusted in [nil, clock] {
      var line = DecoderFixture(.live, trustedDate: trusted)
      line.send(sentence)
      line.finish()
      #expect(line.fixes.map(stamp) == ["\(live) 12:0:0"])
      #expect(line.fixes.first?.isDateCorrected == (recorded != live))
    }
  }

  private let gsv = [
    "GPGSV,3,1,12,04,40,083,46,05,17,308,41,09,07,344,39,12,22,228,45",
    "GPGSV,3,2,12,24,60,120,44,25,30,200,40,29,15,050,35,31,70,010,48",
    "GPGSV,3,3,12,02,56,323,,06,41,024,,17,31,317,,20,31,085,",
  ]

  @Test func `GSV in the middle of a cycle at 4800 baud does not count as silence`() {
    var fixture = DecoderFixture(.live)
    var counts: [Int] = []
    for second in stride(from: 0, to: 20, by: 2) {
      let before = fixture.fixes.count
      // 70 bytes take 150 ms; `pause` calls the decoder at its silence deadline.
      for sentence in [gga(second), gsa] + gsv + [rmc(second)] {
        fixture.pause(milliseconds: 150)
        fixture.send([sentence], everyMilliseconds: 0)
      }
      counts.append(fixture.fixes.count - before)
      fixture.pause(milliseconds: 1100)
    }
    #expect(fixture.fixes.count == 10)
    #expect(fixture.fixes.allSatisfy { $0.speedMetersPerSecond != nil })
    #expect(fixture.decoder.counters.lateReports == 0)
    #expect(counts.suffix(4) == [1, 1, 1, 1])
  }

  @Test func `a pause within a cycle does not complete an epoch whose last sentence is known`() {
    var fixture = DecoderFixture(.live)
    _ = play(&fixture, seconds: 0..<6) { [gga($0), rmc($0)] }
    fixture.send([gga(6)])
    fixture.pause(milliseconds: 400)
    fixture.send([rmc(6)])
    #expect(fixture.fixes.map(stamp) == (0..<7).map { "2026-11-21 12:0:\($0)" })
    #expect(fixture.fixes.last?.speedMetersPerSecond != nil)
  }

  @Test func `a sky view whose GSV precedes the last sentence is delivered with the fix of its epoch`() {
    var fixture = DecoderFixture(.live)
    _ = play(&fixture, seconds: 0..<8) { [gga($0), gsa] + gsv + [rmc($0)] }
    #expect(fixture.skies.count == 8)
    #expect(fixture.skies.map(\.time) == fixture.fixes.map(\.time))
    #expect(fixture.skies.last?.satellites.count == 12)
    #expect(fixture.skies.last?.usedCount == 8)
  }
}
