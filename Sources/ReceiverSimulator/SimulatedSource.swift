// SPDX-License-Identifier: Apache-2.0

package import Positioning
package import Receivers

/// A source that decodes the sentences of a simulated receiver within the program.
///
/// All events are marked as simulated.
package struct SimulatedSource: FixSource, NMEACounting {
  /// The name of the source in its fixes.
  package let name: String
  private let receiver: SimulatedReceiver
  private let clock: any Clock<Duration>
  private let shared = SharedCounters()

  /// Makes a source.
  package init(
    name: String = "simulated", receiver: SimulatedReceiver,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.name = name
    self.receiver = receiver
    self.clock = clock
  }

  /// The counters of the current or last run.
  package var counters: NMEACounters { shared.value }

  /// Runs until the task is cancelled.
  package func run(
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(Never) {
    await run(decoder: NMEADecoder(source: name, pace: .live), delivering: deliver)
  }

  func run(
    decoder: some StreamDecoder, delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async {
    await run(decoder, on: clock) { deliver(Self.marked($0)) }
  }

  private func run(
    _ decoder: some StreamDecoder, on clock: some Clock<Duration>,
    delivering deliver: (FixSourceEvent) -> Void
  ) async {
    var (decoder, receiver) = (decoder, receiver)
    let (start, origin) = (clock.now, MonotonicTime.now())
    // Times of arrival follow `clock`, so that a test can control them.
    func now() -> MonotonicTime {
      origin.advanced(byNanoseconds: Self.nanoseconds(start.duration(to: clock.now)))
    }
    while !Task.isCancelled {
      let epoch = receiver.nextEpoch()
      let due = start.advanced(by: .nanoseconds(epoch.nanosecondsSinceStart))
      if let deadline = decoder.silenceDeadline {
        let silent = start.advanced(
          by: .nanoseconds(deadline.nanoseconds &- origin.nanoseconds))
        if silent < due {
          guard (try? await clock.sleep(until: silent, tolerance: nil)) != nil else { return }
          decoder.completeOnSilence(at: now(), deliver: deliver)
        }
      }
      guard (try? await clock.sleep(until: due, tolerance: nil)) != nil else { return }
      decoder.decode(epoch.bytes.span, receivedAt: now(), deliver: deliver)
      shared.value = decoder.counters
    }
  }

  private static func marked(_ event: FixSourceEvent) -> FixSourceEvent {
    switch event {
    case .fix(var fix):
      fix.isSimulated = true
      return .fix(fix)
    case .sky(var sky):
      sky.isSimulated = true
      return .sky(sky)
    case .instruments(var reading):
      reading.isSimulated = true
      return .instruments(reading)
    case .sentences, .connected, .receiver, .message, .lost: return event
    }
  }

  private static func nanoseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
  }
}
