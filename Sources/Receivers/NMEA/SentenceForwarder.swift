// SPDX-License-Identifier: Apache-2.0

import NMEA
package import Positioning
package import SystemSupport

/// A decoder that also delivers the sentences of each epoch as received, just before the fix.
///
/// Forwards only sentences with a valid checksum, each with CR LF. Without ``SentenceDemand``, the
/// bytes pass to the decoder unseen.
package struct SentenceForwarder<Base: StreamDecoder>: StreamDecoder {
  /// The number of bytes after which sentences are delivered without waiting for a fix.
  static var maxEpochBytes: Int { 8192 }

  private var base: Base
  private let demand: SentenceDemand?
  private let source: String
  private var framer = LineFramer()
  /// Whether sentences are being collected.
  private var isForwarding = false
  /// The sentences since the last fix.
  private var sentences: [UInt8] = []
  /// Whether the sentences since the last fix are complete.
  private var isEpochComplete = false

  /// Wraps a decoder of the source with this name; forwards nothing if `demand` is `nil`.
  package init(_ base: Base, source: String, demand: SentenceDemand?) {
    self.base = base
    self.demand = demand
    self.source = source
  }

  package var silenceDeadline: MonotonicTime? { base.silenceDeadline }
  package var counters: NMEACounters { base.counters }

  package mutating func decode(
    _ bytes: Span<UInt8>, receivedAt: MonotonicTime?, deliver: (FixSourceEvent) -> Void
  ) {
    guard isWanted else { return base.decode(bytes, receivedAt: receivedAt, deliver: deliver) }
    // Line by line, so that the sentences of two epochs in one read are not mixed.
    var start = 0
    while start < bytes.count {
      var end = start + 1
      while end < bytes.count, bytes[end - 1] != 0x0A { end += 1 }
      let line = bytes.extracting(start..<end)
      collect(line)
      // A line completes few events.
      var events: [FixSourceEvent] = []
      base.decode(line, receivedAt: receivedAt) { events.append($0) }
      forward(events, to: deliver)
      if sentences.count >= Self.maxEpochBytes { flush(deliver) }
      start = end
    }
  }

  package mutating func completeOnSilence(
    at now: MonotonicTime, deliver: (FixSourceEvent) -> Void
  ) {
    var events: [FixSourceEvent] = []
    base.completeOnSilence(at: now) { events.append($0) }
    forward(events, to: deliver)
  }

  package mutating func finish(deliver: (FixSourceEvent) -> Void) {
    var events: [FixSourceEvent] = []
    base.finish { events.append($0) }
    forward(events, to: deliver)
    flush(deliver)
  }

  /// Whether sentences are wanted; starts and stops collecting them.
  private var isWanted: Bool {
    mutating get {
      let isWanted = demand?.isPresent ?? false
      if isWanted != isForwarding {
        isForwarding = isWanted
        // The first epoch may have begun before.
        (framer, sentences, isEpochComplete) = (LineFramer(), [], false)
      }
      return isWanted
    }
  }

  private mutating func collect(_ bytes: Span<UInt8>) {
    var collected: [UInt8] = []
    swap(&collected, &sentences)
    framer.frame(bytes) { line, exclusiveOr, _ in
      // Clients do not expect a manufacturer's log with a CRC.
      guard line[0] != UInt8(ascii: "#") else { return }
      guard case .valid = Checksum.check(line, exclusiveOr: exclusiveOr) else { return }
      for index in line.indices { collected.append(line[index]) }
      collected += [0x0D, 0x0A]
    }
    swap(&collected, &sentences)
  }

  /// Delivers the events of one call of the decoder, each fix after its sentences.
  private mutating func forward(
    _ events: [FixSourceEvent], to deliver: (FixSourceEvent) -> Void
  ) {
    for event in events {
      if case .fix = event {
        flush(deliver)
        isEpochComplete = true
      }
      deliver(event)
    }
  }

  private mutating func flush(_ deliver: (FixSourceEvent) -> Void) {
    if isEpochComplete, !sentences.isEmpty { deliver(.sentences(sentences, source: source)) }
    sentences.removeAll(keepingCapacity: true)
  }
}
