// SPDX-License-Identifier: Apache-2.0

public import Positioning
internal import SystemSupport

/// A receiver on a serial port or a USB port that looks like one.
///
/// Opens the devnode read-only and never writes to it. Delivers from a thread of its own, as soon
/// as the bytes are there.
public struct SerialSource: FixSource, NMEACounting {
  /// The devnode, such as `/dev/ttyACM0`.
  public let devnode: String
  /// The speed; `nil` finds it by listening, beginning with the one that the port has.
  public let baud: Int?
  /// Whether nothing is delivered before two valid sentences, and it is let go without any.
  public let requiresValidation: Bool
  private let shared = SharedCounters()

  /// Makes a source that opens nothing yet.
  ///
  /// - Parameters:
  ///   - devnode: The devnode.
  ///   - baud: The speed; `nil` finds it by listening.
  ///   - requiresValidation: Whether it may be no receiver at all. Then nothing is delivered before two
  ///     valid sentences, and it is let go when none come at any speed.
  public init(devnode: String, baud: Int? = nil, requiresValidation: Bool = false) {
    self.devnode = devnode
    self.baud = baud
    self.requiresValidation = requiresValidation
  }

  /// The devnode.
  public var name: String { devnode }

  /// What the present or last run has read.
  public var counters: NMEACounters { shared.value }

  /// Reads the receiver until it hangs up or the task is cancelled.
  ///
  /// - Parameter deliver: Takes each event, in order, on the reading thread.
  /// - Throws: ``SerialError`` where the devnode cannot be opened or configured, when the
  ///   receiver is gone, and when it turns out to speak no NMEA. A cancelled task is not an error.
  public func run(
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(SerialError) {
    let decoder = NMEADecoder(source: name, pace: .live)
    if requiresValidation {
      try await run(decoder: ValidatingDecoder(decoder), delivering: deliver)
    } else {
      try await run(decoder: decoder, delivering: deliver)
    }
  }

  // `onOpen` is called when the port is open and what was old in it is gone.
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
          try SourceThread.start { pulse in
            var loop = SerialReadLoop(
              port: port, wake: wake, pulse: pulse, counters: shared, decoder: decoder,
              detector: detector,
              isLetGo: requiresValidation)
            let result = Result { () throws(SerialError) in try loop.run(deliver: deliver) }
            // The speed at which sentences came is where the next one begins; any other is nobody's.
            if loop.decoder.counters.sentences == 0 { port.restoreSettings() }
            // Whoever is told that it is over may open the port at once, and for itself alone.
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
