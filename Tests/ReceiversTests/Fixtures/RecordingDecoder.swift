// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning

@testable import Receivers

/// A decoder that records its calls, for tests of the read loops.
struct RecordingDecoder: StreamDecoder {
  enum Event: Equatable, Sendable {
    case bytes([UInt8], at: MonotonicTime?)
    case silence(at: MonotonicTime)
    case finish
  }

  let recorder: EventRecorder<Event>
  /// The time from the last bytes to the silence deadline; `nil` for no deadline.
  var silenceNanoseconds: Int64?
  private(set) var silenceDeadline: MonotonicTime?
  private(set) var counters = NMEACounters()

  init(_ recorder: EventRecorder<Event>, silenceNanoseconds: Int64? = nil) {
    self.recorder = recorder
    self.silenceNanoseconds = silenceNanoseconds
  }

  mutating func decode(
    _ bytes: Span<UInt8>, receivedAt: MonotonicTime?, deliver: (FixSourceEvent) -> Void
  ) {
    counters.bytes += UInt64(bytes.count)
    var fix = Fix(mode: .none)
    fix.receivedAt = receivedAt
    deliver(.fix(fix))
    if let silenceNanoseconds {
      silenceDeadline = receivedAt?.advanced(byNanoseconds: silenceNanoseconds)
    }
    recorder.record(.bytes(bytes.indices.map { bytes[$0] }, at: receivedAt))
  }

  mutating func completeOnSilence(at now: MonotonicTime, deliver: (FixSourceEvent) -> Void) {
    silenceDeadline = nil
    recorder.record(.silence(at: now))
  }

  mutating func finish(deliver: (FixSourceEvent) -> Void) { recorder.record(.finish) }
}

extension [RecordingDecoder.Event] {
  /// The decoded bytes, in order.
  var allBytes: [UInt8] {
    flatMap { event -> [UInt8] in
      if case .bytes(let bytes, _) = event { bytes } else { [] }
    }
  }
}
