// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Reads a line that may have no receiver behind it: delivers nothing before two valid sentences.
struct ValidatingDecoder<Base: StreamDecoder>: StreamDecoder {
  private var base: Base
  private var isProven = false

  init(_ base: Base) { self.base = base }

  var silenceDeadline: MonotonicTime? { base.silenceDeadline }
  var counters: NMEACounters { base.counters }

  mutating func decode(
    _ bytes: Span<UInt8>, receivedAt: MonotonicTime?, deliver: (FixSourceEvent) -> Void
  ) {
    guard !isProven else {
      return base.decode(bytes, receivedAt: receivedAt, deliver: deliver)
    }
    // The second sentence may complete the epoch of the first; bounded by one read.
    var withheld: [FixSourceEvent] = []
    base.decode(bytes, receivedAt: receivedAt) { withheld.append($0) }
    isProven = base.counters.sentences >= BaudRateDetector.sentencesNeeded
    if isProven { for event in withheld { deliver(event) } }
  }

  mutating func completeOnSilence(at now: MonotonicTime, deliver: (FixSourceEvent) -> Void) {
    let isProven = isProven
    base.completeOnSilence(at: now) { if isProven { deliver($0) } }
  }

  mutating func finish(deliver: (FixSourceEvent) -> Void) {
    let isProven = isProven
    base.finish { if isProven { deliver($0) } }
  }
}
