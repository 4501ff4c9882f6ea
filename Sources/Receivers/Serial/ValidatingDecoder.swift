// SPDX-License-Identifier: Apache-2.0

import Positioning

/// A decoder that withholds all events until two valid sentences were received.
///
/// For serial ports that may have no receiver attached. Events before the second sentence are
/// dropped, except the events of the read that contains the second sentence, and the receiver's
/// statements about itself, which it may not repeat.
struct ValidatingDecoder<Base: StreamDecoder>: StreamDecoder {
  private var base: Base
  private var isValidated = false
  /// The withheld statements of the receiver.
  private var messages: [FixSourceEvent] = []
  private static var maxMessages: Int { ReceiverMessageFilter.maxTexts + 1 }

  init(_ base: Base) { self.base = base }

  var silenceDeadline: MonotonicTime? { base.silenceDeadline }
  var counters: NMEACounters { base.counters }

  mutating func decode(
    _ bytes: Span<UInt8>, receivedAt: MonotonicTime?, deliver: (FixSourceEvent) -> Void
  ) {
    guard !isValidated else {
      return base.decode(bytes, receivedAt: receivedAt, deliver: deliver)
    }
    // The second sentence may complete the epoch of the first, so the events of this read are kept
    // until the count is known. One read yields a bounded number of events.
    var withheld: [FixSourceEvent] = []
    base.decode(bytes, receivedAt: receivedAt) { withheld.append($0) }
    isValidated = base.counters.readableSentences >= BaudRateDetector.sentencesNeeded
    guard isValidated else {
      for case .message(let message) in withheld where messages.count < Self.maxMessages {
        messages.append(.message(message))
      }
      return
    }
    for event in messages + withheld { deliver(event) }
    messages = []
  }

  mutating func completeOnSilence(at now: MonotonicTime, deliver: (FixSourceEvent) -> Void) {
    let isValidated = isValidated
    base.completeOnSilence(at: now) { if isValidated { deliver($0) } }
  }

  mutating func finish(deliver: (FixSourceEvent) -> Void) {
    let isValidated = isValidated
    base.finish { if isValidated { deliver($0) } }
  }
}
