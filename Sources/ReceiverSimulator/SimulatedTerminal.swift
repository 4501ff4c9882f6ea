// SPDX-License-Identifier: Apache-2.0

package import Receivers
import Synchronization

/// A simulated receiver at the other end of a serial line, for any program.
///
/// Epochs leave on time or not at all: what would be more than a second late, as after a suspend,
/// is left out and counted.
package final class SimulatedTerminal: Sendable {
  /// What was sent and what was not.
  package struct Counters: Equatable, Sendable {
    /// Epochs sent.
    package var epochs: UInt64 = 0
    /// Bytes sent.
    package var bytes: UInt64 = 0
    /// Epochs left out because they were late or the line was behind.
    package var skippedEpochs: UInt64 = 0
    /// Bytes that a client wrote to the receiver, such as the probes of gpsd.
    package var heardBytes: UInt64 = 0
  }

  /// The line.
  package let terminal: PseudoTerminal
  private let receiver: SimulatedReceiver
  private let pacer: LinePacer?
  private let unreadLimit: Int
  /// The speed at which the bytes can be read; `nil` for any.
  private let readableBaud: Int?
  private let counted = Mutex(Counters())

  private static let latest: Duration = .seconds(1)

  /// Connects a receiver to a line.
  ///
  /// - Parameters:
  ///   - receiver: The receiver.
  ///   - terminal: The line.
  ///   - baud: The speed of the line; `nil` sends each epoch at once, as over USB.
  ///   - isStrict: Whether a reader whose port has another speed gets garbage, as on a real line;
  ///     a pseudo-terminal by itself carries the bytes at any.
  /// - Throws: ``LinePacerError`` where there is no such speed or the sentences do not fit it.
  package init(
    receiver: SimulatedReceiver, terminal: PseudoTerminal, baud: Int? = nil,
    isStrict: Bool = false
  ) throws(LinePacerError) {
    self.receiver = receiver
    self.terminal = terminal
    readableBaud = isStrict ? baud : nil
    let busiest = receiver.busiestSecondByteCount
    if let baud {
      let pacer = try LinePacer(baud: baud)
      try pacer.requireCapacity(bytesPerSecond: busiest)
      self.pacer = pacer
    } else {
      pacer = nil
    }
    // A terminal holds 4095 bytes for a reader. Whoever is a second behind is not there.
    unreadLimit = min(3500, max(1024, busiest))
  }

  /// What was sent so far.
  package var counters: Counters { counted.withLock { $0 } }

  /// Sends until a time has passed or the task is cancelled.
  ///
  /// - Parameters:
  ///   - duration: How long; `nil` for ever.
  ///   - delay: How long to wait before the first epoch.
  ///   - clock: The clock that paces it.
  package func run(
    for duration: Duration? = nil, after delay: Duration = .zero,
    on clock: some Clock<Duration> = ContinuousClock()
  ) async {
    var (receiver, pacer) = (receiver, pacer)
    let start = clock.now.advanced(by: delay)
    while !Task.isCancelled {
      let epoch = receiver.nextEpoch()
      let offset = Duration.nanoseconds(epoch.nanosecondsSinceStart)
      if let duration, offset >= duration {
        // The last epoch's period belongs to it; the line stays up so long.
        try? await clock.sleep(until: start.advanced(by: duration), tolerance: nil)
        return
      }
      let due = start.advanced(by: offset)
      guard (try? await clock.sleep(until: due, tolerance: nil)) != nil else { return }
      let heard = terminal.drainInput()
      counted.withLock { $0.heardBytes += UInt64(heard) }
      terminal.discardUnread(over: unreadLimit)
      let isLate = due.duration(to: clock.now) > Self.latest
      let chunks =
        isLate
        ? []
        : pacer?.schedule(count: epoch.bytes.count, at: epoch.nanosecondsSinceStart)
          ?? [.init(range: epoch.bytes.indices, doneNanoseconds: epoch.nanosecondsSinceStart)]
      if chunks.isEmpty { counted.withLock { $0.skippedEpochs += 1 } }
      for chunk in chunks {
        let out = start.advanced(by: .nanoseconds(chunk.doneNanoseconds))
        if out > clock.now {
          guard (try? await clock.sleep(until: out, tolerance: nil)) != nil else { return }
        }
        let taken = terminal.write(onLine(epoch.bytes[chunk.range]))
        counted.withLock { $0.bytes += UInt64(taken) }
      }
      if !chunks.isEmpty { counted.withLock { $0.epochs += 1 } }
    }
  }

  /// What a reader makes of bytes at the speed that its port has.
  private func onLine(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    guard let readableBaud, terminal.speedBaud != readableBaud else { return Array(bytes) }
    // Sampled at the wrong moments, bits run together: fewer bytes, and none of them right.
    return bytes.enumerated().compactMap {
      $0.offset.isMultiple(of: 2) ? $0.element &* 7 ^ 0xA5 : nil
    }
  }
}
