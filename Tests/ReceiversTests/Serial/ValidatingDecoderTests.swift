// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import ReceiverSimulator
import Testing

@testable import Receivers

/// Decoding of data from serial ports that may have no receiver attached.
@Suite(.timeLimit(.minutes(5))) struct ValidatingDecoderTests {
  private func deliver(_ text: String, to decoder: inout ValidatingDecoder<NMEADecoder>) -> Int {
    var count = 0
    decoder.decode(Array(text.utf8).span, receivedAt: MonotonicTime(nanoseconds: 1)) { _ in
      count += 1
    }
    decoder.completeOnSilence(at: .at(9)) { _ in count += 1 }
    return count
  }

  @Test func `a validating decoder delivers events only after two sentences with a valid checksum`() {
    var decoder = ValidatingDecoder(NMEADecoder(source: "x", pace: .live))
    let sentence = "$GPRMC,120000,V,,,,,,,211126,,,N*57\r\n"
    #expect(deliver("hello\r\n$GPRMC,bad*01\r\n", to: &decoder) == 0)
    #expect(deliver(sentence, to: &decoder) == 0)
    #expect(deliver("more text\r\n", to: &decoder) == 0)
    #expect(deliver("$GPRMC,120001,V,,,,,,,211126,,,N*56\r\n", to: &decoder) > 0)
    #expect(decoder.counters.sentences == 2)
  }

  @Test func `a validating decoder delivers an early statement about the antenna with the second sentence`() {
    var decoder = ValidatingDecoder(NMEADecoder(source: "x", pace: .live))
    var messages: [ReceiverMessage] = []
    for sentence in ["GPTXT,01,01,02,ANTSTATUS=OPEN", "GPRMC,120000,V,,,,,,,211126,,,N"] {
      #expect(messages.isEmpty)
      decoder.decode(line(sentence).span, receivedAt: MonotonicTime(nanoseconds: 1)) { event in
        if case .message(let message) = event { messages.append(message) }
      }
    }
    #expect(messages.map(\.antenna) == [.open])
  }

  @Test func `a source that requires validation delivers the fixes of a receiver`() async throws {
    let terminal = try PseudoTerminal()
    let configuration = SimulatedReceiver.Configuration(start: UTCTime(secondsSince1970: 1_795_000_000))
    let simulated = try SimulatedTerminal(receiver: SimulatedReceiver(configuration), terminal: terminal)
    let recorder = EventRecorder<FixSourceEvent>()
    let source = SerialSource(devnode: terminal.devnode, requiresValidation: true)
    let reading = Task { try await source.run { recorder.record($0) } }
    let sending = Task { await simulated.run() }
    let events = await recorder.wait { $0.contains { $0.fix != nil } }
    #expect(events.contains { $0.fix != nil })
    #expect(source.counters.sentences >= 2)
    reading.cancel()
    sending.cancel()
    try await reading.value
    await sending.value
  }
}
