// SPDX-License-Identifier: Apache-2.0

public import Positioning
package import SystemSupport

/// A source that reads a receiver on a serial port or USB serial device.
///
/// Opens the devnode read-only and never writes to it. Delivers on its own thread as soon as bytes
/// arrive.
public struct SerialSource: FixSource, NMEACounting {
  /// The devnode, such as `/dev/ttyACM0`.
  public let devnode: String
  /// The baud rate; `nil` detects it, starting with the port's current baud rate.
  public let baud: Int?
  /// Whether the device must send two valid sentences before any event is delivered.
  public let requiresValidation: Bool
  /// Whether sentences without a checksum are accepted.
  public let allowsMissingChecksum: Bool
  /// Receives the raw sentences; `nil` records none.
  package var sentences: RawSentences?
  /// Requests the sentences of each epoch; `nil` forwards none.
  package var sentenceDemand: SentenceDemand?
  private let shared = SharedCounters()

  /// Makes a source, which opens its port when it runs.
  ///
  /// - Parameters:
  ///   - devnode: The devnode.
  ///   - baud: The baud rate; `nil` detects it.
  ///   - requiresValidation: Whether the device must prove to be a receiver. If true, events are
  ///     delivered only after two valid sentences; if no baud rate yields two, the run fails.
  ///   - allowsMissingChecksum: Whether sentences without a checksum are accepted.
  public init(
    devnode: String, baud: Int? = nil, requiresValidation: Bool = false,
    allowsMissingChecksum: Bool = false
  ) {
    self.devnode = devnode
    self.baud = baud
    self.requiresValidation = requiresValidation
    self.allowsMissingChecksum = allowsMissingChecksum
  }

  /// The name of the source: the devnode.
  public var name: String { devnode }

  /// The counters of the current or last run.
  public var counters: NMEACounters { shared.value }

  /// Reads the receiver until the line hangs up or the task is cancelled.
  ///
  /// - Parameter deliver: Receives each event, in order, on the reading thread.
  /// - Throws: ``SerialError`` if the devnode cannot be opened or configured, if the receiver is
  ///   disconnected, or if it does not send NMEA. A cancelled task is not an error.
  public func run(
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(SerialError) {
    let forwarder = SentenceForwarder(
      NMEADecoder(
        source: name, pace: .live, trustedDate: SystemClock.utcNow().date,
        allowsMissingChecksum: allowsMissingChecksum),
      source: name, demand: sentenceDemand)
    let decoder = SentenceRecorder(forwarder, into: sentences)
    if requiresValidation {
      try await run(decoder: ValidatingDecoder(decoder), delivering: deliver)
    } else {
      try await run(decoder: decoder, delivering: deliver)
    }
  }

  // `onOpen` is called after the port was opened and its old input discarded.
  func run(
    decoder: some StreamDecoder, onOpen: @Sendable () -> Void = {},
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(SerialError) {
    guard !Task.isCancelled else { return }
    let port = try SerialPort(devnode: devnode, baud: baud)
    onOpen()
    let detector =
      baud == nil ? BaudRateDetector(present: try port.speedBaud(), at: .now()) : nil
    let wake: WakeUp
    do throws(SystemCallFailure) {
      wake = try WakeUp()
    } catch {
      throw SerialError(.resources, devnode, error)
    }
    let (devnode, shared, requiresValidation) = (devnode, shared, requiresValidation)
    let result: Result<Void, SerialError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        do throws(SystemCallFailure) {
          try SourceThread.start { liveness in
            var loop = SerialReadLoop(
              port: port, wake: wake, liveness: liveness, counters: shared, decoder: decoder,
              detector: detector,
              stopsWithoutReceiver: requiresValidation)
            let result = Result { () throws(SerialError) in try loop.run(deliver: deliver) }
            // Keep a baud rate that worked; otherwise restore the settings of the port.
            if loop.decoder.counters.readableSentences == 0 { port.restoreSettings() }
            // Close before resuming: the caller may reopen the port exclusively at once.
            port.close()
            continuation.resume(returning: result)
          }
        } catch {
          continuation.resume(returning: .failure(SerialError(.resources, devnode, error)))
        }
      }
    } onCancel: {
      wake.signal()
    }
    try result.get()
  }
}
