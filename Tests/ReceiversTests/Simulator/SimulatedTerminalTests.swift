// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import ReceiverSimulator
@testable import Receivers

/// The simulated receiver on a pseudo-terminal, with a manual clock.
@Suite(.timeLimit(.minutes(5))) struct SimulatedTerminalTests {
  private let clock = ManualClock()

  private func receiver(rate: Int = 1) throws -> SimulatedReceiver {
    var configuration = SimulatedReceiver.Configuration(
      start: UTCTime(secondsSince1970: 1_795_305_570))
    configuration.rateHertz = rate
    return try SimulatedReceiver(configuration)
  }

  @Test func `the simulator sends each epoch when it is due and ends after the given duration`() async throws {
    var expected = try receiver(rate: 2)
    let simulated = try SimulatedTerminal(
      receiver: receiver(rate: 2), terminal: try PseudoTerminal())
    let recorder = EventRecorder<RecordingDecoder.Event>()
    // The baud rate is given, because the recording decoder counts no sentences for detecting it.
    let source = SerialSource(devnode: simulated.terminal.devnode, baud: 9600)
    let opened = EventRecorder<Bool>()
    let reading = Task {
      try await source.run(
        decoder: RecordingDecoder(recorder), onOpen: { opened.record(true) }
      ) { _ in }
    }
    _ = await opened.wait(for: 1)
    let clock = clock
    let sending = Task { await simulated.run(for: .seconds(2), after: .seconds(1), on: clock) }
    var bytes: [UInt8] = []
    for index in 0..<4 {
      await clock.waitForSleepers()
      clock.advance(by: index == 0 ? .seconds(1) : .milliseconds(500))
      bytes += expected.nextEpoch().bytes
      let count = bytes.count
      await recorder.wait { $0.allBytes.count >= count }
    }
    #expect(recorder.events.allBytes == bytes)
    await clock.waitForSleepers()
    clock.advance(by: .milliseconds(500))
    await sending.value
    #expect(
      simulated.counters == .init(epochs: 4, bytes: UInt64(bytes.count), skippedEpochs: 0))
    reading.cancel()
    try await reading.value
  }

  @Test func `the simulator sends bytes no faster than the baud rate allows`() async throws {
    let simulated = try SimulatedTerminal(
      receiver: receiver(), terminal: try PseudoTerminal(), baud: 19_200)
    let clock = clock
    let sending = Task { await simulated.run(for: .seconds(3), on: clock) }
    for _ in 0..<100 {
      await clock.waitForSleepers()
      let elapsed = clock.now.offset / .seconds(1)
      let line = 1920 * elapsed
      #expect(Double(simulated.counters.bytes + simulated.terminal.droppedByteCount) <= line + 1)
      clock.advanceToNextDeadline()
    }
    #expect(simulated.counters.bytes > 250)
    sending.cancel()
    await sending.value
  }

  @Test func `the simulator skips and counts late epochs`() async throws {
    let simulated = try SimulatedTerminal(receiver: receiver(), terminal: try PseudoTerminal())
    let clock = clock
    let sending = Task { await simulated.run(for: .seconds(20), on: clock) }
    await clock.waitForSleepers()
    #expect(simulated.counters.epochs == 1)
    // The board was suspended from the first second to the tenth.
    clock.advance(by: .milliseconds(10_500))
    await clock.waitForSleepers()
    #expect(simulated.counters.skippedEpochs == 9)
    #expect(simulated.counters.epochs == 2)
    sending.cancel()
    await sending.value
  }

  @Test func `the simulator discards old epochs while there is no reader`() async throws {
    let simulated = try SimulatedTerminal(receiver: receiver(), terminal: try PseudoTerminal())
    let clock = clock
    let sending = Task { await simulated.run(on: clock) }
    for _ in 0..<200 {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(1))
    }
    sending.cancel()
    await sending.value
    #expect(simulated.counters.epochs >= 200)
    #expect(simulated.terminal.droppedByteCount > simulated.counters.bytes / 2)
  }

  @Test func `a baud rate that is too low for the simulated sentences is rejected`() throws {
    #expect(throws: LinePacerError.self) {
      try SimulatedTerminal(receiver: receiver(rate: 25), terminal: PseudoTerminal(), baud: 4800)
    }
  }

  @Test func `all fixes of a simulated source are marked as simulated`() async throws {
    let source = SimulatedSource(receiver: try receiver(), clock: clock)
    let fixes = EventRecorder<FixSourceEvent>()
    let recorder = EventRecorder<RecordingDecoder.Event>()
    let decoder = RecordingDecoder(recorder, silenceNanoseconds: 300_000_000)
    let task = Task { await source.run(decoder: decoder) { fixes.record($0) } }
    await clock.waitForSleepers()
    #expect(recorder.events.count == 1)
    // The silence deadline precedes the next epoch.
    #expect(clock.advanceToNextDeadline() == .milliseconds(300))
    await clock.waitForSleepers()
    #expect(clock.advanceToNextDeadline() == .milliseconds(700))
    await clock.waitForSleepers()
    guard case .bytes(_, let first?) = recorder.events[0],
      case .silence(let silence) = recorder.events[1],
      case .bytes(_, let second?) = recorder.events[2]
    else { throw ExpectationError("\(recorder.events)") }
    #expect(silence == first.advanced(byNanoseconds: 300_000_000))
    #expect(second == first.advanced(byNanoseconds: 1_000_000_000))
    #expect(fixes.events.count == 2)
    for case .fix(let fix) in fixes.events { #expect(fix.isSimulated) }
    task.cancel()
    await task.value
  }
}
