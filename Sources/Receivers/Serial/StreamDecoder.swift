// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// A decoder of a byte stream: ``NMEADecoder``, or a test double.
package protocol StreamDecoder: Sendable {
  mutating func decode(
    _ bytes: Span<UInt8>, receivedAt: MonotonicTime?, deliver: (FixSourceEvent) -> Void)
  var silenceDeadline: MonotonicTime? { get }
  mutating func completeOnSilence(at now: MonotonicTime, deliver: (FixSourceEvent) -> Void)
  mutating func finish(deliver: (FixSourceEvent) -> Void)
  var counters: NMEACounters { get }
}

extension NMEADecoder: StreamDecoder {}
