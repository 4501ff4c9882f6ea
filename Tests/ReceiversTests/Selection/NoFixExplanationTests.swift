// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Receivers

/// The explanation for a missing position.
@Suite struct NoFixExplanationTests {
  @Test(
    arguments: [
      (30, nil, "no fix in 30 s of data: the receiver has not reported its satellites; wait some"),
      (30, [], "no fix in 30 s of data: no satellites in view; check the antenna and its cable; if"),
      (
        9, [nil, nil],
        "2 satellites in view, none with a signal; place the antenna under open sky, or"
          + " check it and its cable; if the receiver was just switched on, wait a minute"
      ),
      (
        9, [22, nil],
        "the strongest 22 dB-Hz; wait a minute, the receiver is searching for satellites;"
          + " if it finds no fix, place the antenna under open sky: a first fix needs"
      ),
      (30, [nil], "1 satellite in view, none with a signal; place the antenna under open sky"),
      (300, [], "no fix in 5 min of data: no satellites in view; check the antenna and its cable"),
      (70, [nil, nil], "2 satellites in view, none with a signal; check the antenna and its cable"),
      (
        70, [20, 22, 18, 31, nil],
        "5 satellites in view, 4 with a signal, the strongest 31 dB-Hz; place the antenna under "
          + "open sky: a first fix needs four satellites with at least 30 dB-Hz, 1 now"
      ),
      (
        70, [44, 43, 42, 41],
        "4 satellites in view, 4 with a signal, the strongest 44 dB-Hz; wait, the signals are "
          + "strong enough; a cold start takes up to 15 minutes"
      ),
      (1000, [44, 43, 42, 41], "the signals are strong enough: restart the receiver by unplugging"),
    ] as [(Double, [Double?]?, String)])
  func `an explanation states the satellites, their strength and the next step`(
    seconds: Double, signals: [Double?]?, text: String
  ) {
    let explanation = NoFixExplanation(
      input: .nmea, reportsEpochs: true, seconds: seconds,
      sky: signals.map { SkySummary(Self.sky($0)) })
    #expect("\(explanation)".contains(text), "\(explanation)")
    let hasSignal = signals?.contains { $0 != nil } ?? true
    #expect(explanation.needsOnlyTime == (seconds < 60 || seconds < 900 && hasSignal))
  }

  @Test func `satellites with two signals are counted once`() {
    var sky = Self.sky([40, 35])
    var second = sky.satellites[0]
    second.signal = 8
    sky.satellites.append(second)
    #expect(SkySummary(sky) == SkySummary(inView: 2, withSignal: 2, strong: 2, strongestDBHz: 40))
  }

  @Test(arguments: [
    (LineInput.none, "/dev/a: no data in 20 s, baud rates tried: 9600, 115200; check that"),
    (
      .unreadable,
      "20 s of data that is neither NMEA nor text, baud rates tried: 9600, 115200; if the receiver "
        + "uses another baud rate, name it, as in: fixcast locate /dev/a@250000, or baud = 250000"
    ),
    (.text, "20 s of text without NMEA at 115200 baud; a serial console or another device"),
    (.damaged, "20 s of NMEA with wrong checksums and no right one at 115200 baud; check the cable"),
    (.mostlyUnchecked, "20 s of NMEA in which most lines have no checksum at 115200 baud; if the receiver sends none"),
    (.refusedUnchecked, "20 s of NMEA without checksums and with refused content; correct the receiver's config"),
    (
      .unchecked,
      "20 s of NMEA in which no line has a checksum at 115200 baud; if the receiver "
        + "sends none, accept them: checksum = \"optional\" below its [[source]], or --allow-miss"
    ),
    (.refused, "20 s of NMEA with right checksums and refused content; baud rate and cable are"),
    (.nmea, "20 s of NMEA without positions; configure the receiver to send GGA, RMC or GLL"),
  ])
  func `an explanation states the kind of data and the baud rates that were tried`(input: LineInput, text: String) {
    var explanation = NoFixExplanation(source: "/dev/a", input: input, reportsEpochs: false, seconds: 20)
    (explanation.triedBauds, explanation.readableBaud) = ([9600, 115_200], 115_200)
    #expect("\(explanation)".contains(text), "\(explanation)")
    #expect(!explanation.needsOnlyTime)
  }

  @Test func `the most useful data at any tried baud rate determines the kind of data`() {
    var trials = BaudRateTrials()
    var (start, end) = (NMEACounters(), NMEACounters())
    (end.bytes, end.controlBytes) = (300, 60)
    trials.note(baud: 9600, from: start, to: end)
    #expect(trials.best == .unreadable)
    start = end
    end.bytes += 300
    trials.note(baud: 115_200, from: start, to: end)
    start = end
    // Too few bytes to classify.
    end.bytes += 10
    trials.note(baud: 38_400, from: start, to: end)
    trials.note(baud: 9600, from: start, to: end)
    #expect(trials.best == .text && trials.bestBaud == 115_200)
    #expect(trials.bauds == [9600, 115_200, 38_400])
  }

  @Test func `a port without a fix is explained by its epochs and satellites until its first position`() throws {
    var fixture = SupervisorFixture([
      .serial(devnode: "/dev/a", baud: nil, requiresValidation: false),
      .serial(devnode: "/dev/b", baud: nil, requiresValidation: false),
    ])
    let run = fixture.run(of: "/dev/a")
    func explanation() -> NoFixExplanation? { fixture.diagnosis.noFix }
    fixture.advance(seconds: 20)
    #expect("\(try #require(explanation()))".hasPrefix("/dev/a: no data in 20 s;"))
    for _ in 0..<30 {
      fixture.receive(.fix(SupervisorFixture.fix("/dev/a", at: fixture.seconds, mode: .none)), from: run)
      fixture.receive(.sky(Self.sky([44, 43, 42, 41, nil])), from: run)
      fixture.advance(seconds: 1)
    }
    let text = "\(try #require(explanation()))"
    #expect(text.hasPrefix("/dev/a: no fix in 30 s of data: 5 satellites in view, 4 "), "\(text)")
    fixture.fix("/dev/a", from: run)
    #expect(explanation() == nil)
    fixture.advance(seconds: 60)
    #expect("\(try #require(explanation()))".hasPrefix("/dev/a: no data in 60 s;"))
  }

  @Test func `an explanation names the first refused sentence, and does not blame the cable`() {
    for input in [LineInput.refused, .nmea] {
      var explanation = NoFixExplanation(source: "/dev/a", input: input, reportsEpochs: false, seconds: 20)
      explanation.firstRefused = "GPRMC field 1: not a time of day"
      let text = "\(explanation)"
      #expect(text.contains("; the first: GPRMC field 1: not a time of day; baud rate"), "\(text)")
      #expect(!text.contains("check the cable") && !text.contains("wrong"), "\(text)")
    }
  }

  @Test func `a refused sentence is named beside the satellites, and instead of their advice`() {
    var explanation = NoFixExplanation(input: .nmea, reportsEpochs: true, seconds: 20)
    explanation.firstRefused = "GPGGA field 2: not a number"
    #expect(
      "\(explanation)" == "no fix in 20 s of data: the receiver has not reported its satellites; "
        + "sentences are refused, the first: GPGGA field 2: not a number; correct the receiver's "
        + "configuration, or update its firmware")
    explanation.sky = SkySummary(Self.sky([]))
    #expect("\(explanation)".contains("a number; check the antenna and its cable"))
  }

  @Test func `the counters of a port with epochs and without a position name its refused sentence`() throws {
    var fixture = SupervisorFixture([
      .serial(devnode: "/dev/a", baud: nil, requiresValidation: false)
    ])
    let run = try #require(fixture.run(of: "/dev/a"))
    fixture.receive(.fix(SupervisorFixture.fix("/dev/a", at: fixture.seconds, mode: .none)), from: run)
    #expect(fixture.supervisor.members.portsWithoutPosition.map(\.number) == [run])
    var counters = NMEACounters()
    (counters.sentences, counters.refusedSentences) = (9, 9)
    counters.firstRefused = "GPGGA field 2: not a number"
    fixture.supervisor.note(counters, of: run)
    func refused() -> String? { fixture.diagnosis.noFix?.firstRefused }
    #expect(refused() == counters.firstRefused)
    counters.sentences = 900
    fixture.supervisor.note(counters, of: run)
    #expect(refused() == nil)
    fixture.fix("/dev/a", from: run)
    #expect(fixture.supervisor.members.portsWithoutPosition.isEmpty)
  }

  @Test func `an error or a warning explains a missing position for two minutes, the antenna for ever`() {
    var messages = ReceiverMessages()
    var warning = ReceiverMessage(.warning, "x")
    warning.receivedAt = MonotonicTime(nanoseconds: 0)
    messages.note(warning)
    #expect(messages.fault(at: MonotonicTime(nanoseconds: 119_000_000_000)) == warning)
    #expect(messages.fault(at: MonotonicTime(nanoseconds: 121_000_000_000)) == nil)
    let open = ReceiverMessage(antenna: .open)
    messages.note(open)
    #expect(messages.fault(at: MonotonicTime(nanoseconds: 9_000_000_000_000)) == open)
  }

  @Test(
    arguments: [
      (0, 9, 0, 0, .unchecked), (1, 9, 0, 0, .mostlyUnchecked), (9, 1, 0, 0, .damaged),
      (9, 0, 0, 0, .damaged), (0, 9, 3, 0, .refused), (0, 9, 3, 3, .refusedUnchecked),
    ] as [(UInt64, UInt64, UInt64, UInt64, LineInput)])
  func `the kind of the lines is that of most of them`(
    wrong: UInt64, unchecked: UInt64, refused: UInt64, refusedUnchecked: UInt64, input: LineInput
  ) {
    var counters = NMEACounters()
    counters.bytes = 900
    (counters.wrongChecksums, counters.linesWithoutChecksum) = (wrong, unchecked)
    (counters.refusedSentences, counters.refusedUncheckedSentences) = (refused, refusedUnchecked)
    #expect(LineInput(counters) == input)
  }

  @Test(arguments: [
    (ReceiverMessage(antenna: .open), "no antenna is connected (open); connect the antenna, or"),
    (ReceiverMessage(antenna: .shorted), "a short circuit of its antenna; disconnect the antenna"),
    (
      ReceiverMessage(.error, "txbuf alloc"),
      "no satellites in view; the receiver reports the error \"txbuf alloc\"; check the antenna"
    ),
    (ReceiverMessage(.warning, "x"), "reports the warning \"x\"; check the antenna and its cable"),
  ])
  func `an explanation has the receiver's own statement and its remedy`(message: ReceiverMessage, text: String) {
    var explanation = NoFixExplanation(input: .nmea, reportsEpochs: true, seconds: 20, sky: SkySummary(Self.sky([])))
    explanation.message = message
    #expect("\(explanation)".hasPrefix("no fix in 20 s of data: no satellites in view; the receiver "))
    #expect("\(explanation)".contains(text), "\(explanation)")
  }

  private static func sky(_ signals: [Double?]) -> SkyView {
    SkyView(
      satellites: signals.enumerated().map { index, signal in
        Samples.satellite(UInt8(index + 1), signalDBHz: signal)
      })
  }
}
