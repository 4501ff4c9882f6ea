// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// A decoder that also adds each line that looks like a sentence to a ``RawSentences``.
package struct SentenceRecorder<Base: StreamDecoder>: StreamDecoder {
  /// The maximum length of a recorded line in bytes; longer lines are not recorded.
  private static var maxLineBytes: Int { 128 }

  private var base: Base
  private let sentences: RawSentences?
  /// The bytes since the last `$` or `!`; empty outside of a sentence.
  private var partial: [UInt8] = []

  /// Wraps a decoder; records nothing if `sentences` is `nil`.
  package init(_ base: Base, into sentences: RawSentences?) {
    self.base = base
    self.sentences = sentences
  }

  package var silenceDeadline: MonotonicTime? { base.silenceDeadline }
  package var counters: NMEACounters { base.counters }

  package mutating func decode(
    _ bytes: Span<UInt8>, receivedAt: MonotonicTime?, deliver: (FixSourceEvent) -> Void
  ) {
    if let sentences {
      for index in bytes.indices { record(bytes[index], into: sentences) }
    }
    base.decode(bytes, receivedAt: receivedAt, deliver: deliver)
  }

  package mutating func completeOnSilence(
    at now: MonotonicTime, deliver: (FixSourceEvent) -> Void
  ) {
    base.completeOnSilence(at: now, deliver: deliver)
  }

  package mutating func finish(deliver: (FixSourceEvent) -> Void) { base.finish(deliver: deliver) }

  private mutating func record(_ byte: UInt8, into sentences: RawSentences) {
    switch byte {
    case UInt8(ascii: "$"), UInt8(ascii: "!"): partial = [byte]
    case 0x0A, 0x0D:
      if partial.count > 1 { sentences.append(String(decoding: partial, as: UTF8.self)) }
      partial = []
    case 0x20...0x7E where !partial.isEmpty && partial.count < Self.maxLineBytes:
      partial.append(byte)
    default: partial = []
    }
  }
}
