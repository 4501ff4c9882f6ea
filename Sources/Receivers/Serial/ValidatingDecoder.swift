// SPDX-License-Identifier: Apache-2.0

import Positioning

/// A decoder that withholds all events until two valid sentences were received.
///
/// For lines that may not have a receiver. Events from before the validation are dropped, except
/// those of the read that completed it.
struct ValidatingDecoder<Base: StreamDecoder>: StreamDecoder {
  private var base: Base
  private var isValidated = false

  init(_ base: Base) { self.base = base }

  var silenceDeadline: MonotonicTime? { base.silenceDeadline }
  var counters: NMEACounters { base.counters }

  mutating func decode(
    _ bytes: Span<UInt8>, receivedAt: MonotonicTime?, deliver: (FixSourceEvent) -> Void
  ) {
    guard !isValidated else {
      return base.decode(bytes, receivedAt: receivedAt, deliver: deliver)
    }
    // The second sentence may complete the epoch of the first. The size is limited by one read.
    var withheld: [FixSourceEvent] = []
    base.decode(bytes, receivedAt: receivedAt) { withheld.append($0) }
    isValidated = base.counters.sentences >= BaudRateDetector.sentencesNeeded
    if isValidated { for event in withheld { deliver(event) } }
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
