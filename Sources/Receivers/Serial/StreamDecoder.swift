// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// What a byte stream is read into: ``NMEADecoder``, or a recorder in a test of the reading.
package protocol StreamDecoder: Sendable {
  mutating func decode(
    _ bytes: Span<UInt8>, receivedAt: MonotonicTime?, deliver: (FixSourceEvent) -> Void)
  var silenceDeadline: MonotonicTime? { get }
  mutating func completeOnSilence(at now: MonotonicTime, deliver: (FixSourceEvent) -> Void)
  mutating func finish(deliver: (FixSourceEvent) -> Void)
  var counters: NMEACounters { get }
}

extension NMEADecoder: StreamDecoder {}
