// SPDX-License-Identifier: Apache-2.0

package import Receivers
import Synchronization

/// A simulated receiver on a pseudo-terminal, for use by any program.
///
/// An epoch that would be more than a second late, for example after a suspend, is skipped and
/// counted.
package final class SimulatedTerminal: Sendable {
  /// The amounts of sent and skipped data.
  package struct Counters: Equatable, Sendable {
    /// The number of epochs sent.
    package var epochs: UInt64 = 0
    /// The number of bytes sent.
    package var bytes: UInt64 = 0
    /// Epochs skipped because they were late or the line had a backlog.
    package var skippedEpochs: UInt64 = 0
    /// Bytes that a client wrote to the receiver, such as the probes of gpsd.
    package var receivedBytes: UInt64 = 0
  }

  /// The pseudo-terminal.
  package let terminal: PseudoTerminal
  private let receiver: SimulatedReceiver
  private let pacer: LinePacer?
  private let unreadLimit: Int
  /// The only speed at which the bytes are readable; `nil` for any speed.
  private let readableBaud: Int?
  private let counted = Mutex(Counters())

  private static let maxLateness: Duration = .seconds(1)

  /// Connects a receiver to a pseudo-terminal.
  ///
  /// - Parameters:
  ///   - receiver: The receiver.
  ///   - terminal: The pseudo-terminal.
  ///   - baud: The speed of the line; `nil` sends each epoch at once, as over USB.
  ///   - isStrict: Whether a reader whose port has another speed receives garbage, as on a real
  ///     line. If false, the reader receives the same bytes at any speed.
  /// - Throws: ``LinePacerError`` if the speed is invalid or too slow for the sentences.
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
    // A terminal buffers 4095 bytes. If the bytes of one second have not been read, the terminal is
    // assumed to have no reader.
    unreadLimit = min(3500, max(1024, busiest))
  }

  /// The current counters.
  package var counters: Counters { counted.withLock { $0 } }

  /// Sends epochs until a duration has passed or the task is cancelled.
  ///
  /// - Parameters:
  ///   - duration: The duration; `nil` for no limit.
  ///   - delay: The delay before the first epoch.
  ///   - clock: The clock for the epochs.
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
        // The line stays open until the end of the last epoch's period.
        try? await clock.sleep(until: start.advanced(by: duration), tolerance: nil)
        return
      }
      let due = start.advanced(by: offset)
      guard (try? await clock.sleep(until: due, tolerance: nil)) != nil else { return }
      let received = terminal.drainInput()
      counted.withLock { $0.receivedBytes += UInt64(received) }
      terminal.discardUnread(over: unreadLimit)
      let isLate = due.duration(to: clock.now) > Self.maxLateness
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
        let written = terminal.write(bytesOnLine(epoch.bytes[chunk.range]))
        counted.withLock { $0.bytes += UInt64(written) }
      }
      if !chunks.isEmpty { counted.withLock { $0.epochs += 1 } }
    }
  }

  /// Returns the bytes that a reader receives at the speed of its port.
  private func bytesOnLine(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    guard let readableBaud, terminal.speedBaud != readableBaud else { return Array(bytes) }
    // At a wrong speed a port receives fewer bytes, and all of them are wrong.
    return bytes.enumerated().compactMap {
      $0.offset.isMultiple(of: 2) ? $0.element &* 7 ^ 0xA5 : nil
    }
  }
}
