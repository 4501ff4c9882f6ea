// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import ReceiverSimulator
import SystemSupport
import Testing

@testable import Receivers

/// Detection of the baud rate.
@Suite struct BaudRateDetectorTests {
  private func time(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: milliseconds * 1_000_000)
  }

  @Test func `the current baud rate of a port is tried first and is locked after two sentences`() {
    var detector = BaudRateDetector(present: 4800, at: time(0))
    #expect(detector.baud == 4800)
    #expect(detector.note(sentences: 1, bytes: 70, at: time(100)) == nil)
    #expect(detector.note(sentences: 2, bytes: 140, at: time(200)) == .locked(baud: 4800))
    #expect(detector.isLocked && detector.deadline == nil)
  }

  @Test func `a baud rate detector tries every usual baud rate once per round`() {
    var detector = BaudRateDetector(present: 38_400, at: time(0))
    var seen = [detector.baud]
    var now: Int64 = 0
    for _ in 0..<8 {
      now += 2200
      guard case .setSpeed(let baud)? = detector.note(sentences: 0, bytes: 0, at: time(now)) else {
        Issue.record("stayed at \(String(describing: detector.baud))")
        return
      }
      seen.append(baud)
    }
    #expect(Set(seen.compactMap { $0 }) == Set(BaudRateDetector.usualBauds))
    #expect(seen.count == BaudRateDetector.usualBauds.count)
  }

  @Test func `a baud rate is abandoned at once after noise, and after two cycles without data`() {
    var noisy = BaudRateDetector(present: 9600, at: time(0))
    #expect(noisy.note(sentences: 0, bytes: 300, at: time(50)) == .setSpeed(baud: 115_200))
    var silent = BaudRateDetector(present: 9600, at: time(0))
    #expect(silent.deadline == time(2200))
    #expect(silent.note(sentences: 0, bytes: 0, at: time(2199)) == nil)
    #expect(silent.note(sentences: 0, bytes: 0, at: time(2200)) == .setSpeed(baud: 115_200))
  }

  @Test func `after one sentence, the timeout of a baud rate is doubled`() {
    var detector = BaudRateDetector(present: 4800, at: time(0))
    #expect(detector.note(sentences: 1, bytes: 400, at: time(2300)) == nil)
    #expect(detector.note(sentences: 1, bytes: 700, at: time(4400)) == .setSpeed(baud: 9600))
  }

  @Test func `the timeout of a baud rate grows with each round`() {
    var detector = BaudRateDetector(present: 9600, at: time(0))
    var now: Int64 = 0
    for _ in BaudRateDetector.usualBauds {
      now += 10_000
      _ = detector.note(sentences: 0, bytes: 0, at: time(now))
    }
    #expect(detector.baud == 9600, "start of the second round")
    #expect(detector.note(sentences: 0, bytes: 0, at: time(now + 2200)) == nil)
    #expect(detector.note(sentences: 0, bytes: 0, at: time(now + 4400)) != nil)
  }

  @Test func `a locked baud rate is abandoned after persistent noise, but not after silence`() {
    var detector = BaudRateDetector(present: 9600, at: time(0))
    _ = detector.note(sentences: 2, bytes: 100, at: time(100))
    #expect(detector.note(sentences: 2, bytes: 100, at: time(100_000)) == nil, "silence")
    #expect(detector.note(sentences: 3, bytes: 200, at: time(100_100)) == nil)
    #expect(detector.note(sentences: 3, bytes: 2300, at: time(109_000)) == nil)
    #expect(detector.note(sentences: 3, bytes: 2300, at: time(110_200)) == .setSpeed(baud: 115_200))
  }

  @Test(.timeLimit(.minutes(5)), arguments: [4800, 9600, 38_400, 115_200])
  func `a source detects the baud rate of a simulated receiver`(baud: Int) async throws {
    var configuration = SimulatedReceiver.Configuration(
      start: UTCTime(secondsSince1970: 1_795_000_000))
    configuration.sentences = [.gga, .rmc]
    let terminal = try PseudoTerminal()
    let simulated = try SimulatedTerminal(
      receiver: try SimulatedReceiver(configuration), terminal: terminal, baud: baud,
      isStrict: true)
    let source = SerialSource(devnode: terminal.devnode)
    let fixes = EventRecorder<Fix>()
    let start = MonotonicTime.now()
    let line = Task { await simulated.run() }
    let reading = Task {
      try await source.run { if case .fix(let fix) = $0 { fixes.record(fix) } }
    }
    let first = await fixes.wait(for: 1)
    let seconds = MonotonicTime.now().seconds(since: start)
    print("found \(baud) baud in \(seconds) s")
    #expect((first.first?.mode ?? .none) > .none)
    #expect(terminal.speedBaud == baud)
    reading.cancel()
    line.cancel()
    try await reading.value
    await line.value
  }
}
