// SPDX-License-Identifier: Apache-2.0

import Positioning

@testable import Receivers

/// A decoder that turns each byte into a fix.
///
/// The byte is the time in seconds; a fix from the byte 255 has no time.
struct TickDecoder: StreamDecoder {
  private(set) var counters = NMEACounters()
  var silenceDeadline: MonotonicTime? { nil }

  mutating func decode(
    _ bytes: Span<UInt8>, receivedAt: MonotonicTime?, deliver: (FixSourceEvent) -> Void
  ) {
    for index in bytes.indices {
      var fix = Fix(mode: .threeDimensional)
      fix.receivedAt = receivedAt
      if bytes[index] != 255 { fix.time = UTCTime(secondsSince1970: Int64(bytes[index])) }
      deliver(.fix(fix))
    }
    counters.bytes += UInt64(bytes.count)
  }

  mutating func completeOnSilence(at now: MonotonicTime, deliver: (FixSourceEvent) -> Void) {}

  /// Delivers an empty fix, which marks the end.
  mutating func finish(deliver: (FixSourceEvent) -> Void) { deliver(.fix(Fix(mode: .none))) }
}
