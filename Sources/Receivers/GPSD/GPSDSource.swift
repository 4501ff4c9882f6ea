// SPDX-License-Identifier: Apache-2.0

public import Positioning
import Synchronization
internal import SystemSupport

/// A source that reads one or all receivers of a gpsd.
///
/// Runs until it is cancelled and reconnects with back-off if gpsd is absent or disconnects.
/// Delivers on its own thread, since libgps blocks, and without a queue, so that positions are
/// delivered as they arrive.
public struct GPSDSource: FixSource {
  /// The address of gpsd.
  public let address: GPSDAddress
  /// The device path of the only receiver to read, as gpsd lists it; `nil` reads all.
  public let device: String?

  private let options: GPSDSession.Options
  private let shared = SharedGPSDCounters()

  /// Makes a source that is not connected yet.
  ///
  /// - Parameters:
  ///   - address: The address of gpsd.
  ///   - device: The device path of the only receiver to read; `nil` reads all.
  ///   - silence: The time without a report after which a receiver counts as lost, at least a
  ///     tenth of a second. gpsd does not report an unplugged receiver.
  public init(address: GPSDAddress, device: String? = nil, silence: Duration = .milliseconds(4500))
  {
    var options = GPSDSession.Options()
    let (seconds, attoseconds) = silence.components
    // Capped at a century, so that the nanoseconds cannot overflow.
    let capped = min(max(0, seconds), 3_155_760_000)
    options.silenceNanoseconds = max(
      100_000_000, capped &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
    self.init(address: address, device: device, options: options)
  }

  init(address: GPSDAddress, device: String? = nil, options: GPSDSession.Options) {
    self.address = address
    self.device = device
    self.options = options
  }

  /// The name of the source: `gpsd:HOST:PORT`.
  public var name: String { "gpsd:\(address)" }

  /// The counters of the current or last run.
  public var counters: GPSDCounters { shared.value }

  /// Reads from gpsd until the task is cancelled.
  ///
  /// - Parameter deliver: Receives each event, in order, on the reading thread.
  /// - Throws: ``GPSDError`` for a permanent failure. An absent gpsd, a lost connection and a
  ///   cancelled task are not errors.
  public func run(
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(GPSDError) {
    guard !Task.isCancelled else { return }
    // libgps inserts the path into JSON without escaping.
    if let device, !Self.isPlain(device) { throw .device(device, address: address) }
    let wake: WakeUp
    do throws(SystemCallFailure) {
      wake = try WakeUp()
    } catch {
      throw GPSDError(error, address: address)
    }
    let run = BlockingRun<GPSDError>(wake: wake)
    let session = GPSDSession(
      address: address.description, options: options, seed: UInt64.random(in: .min ... .max))
    let result: Result<Void, GPSDError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        run.begin(continuation)
        do throws(SystemCallFailure) {
          try SourceThread.start { [address, device, shared] liveness in
            var loop = GPSDReadLoop(
              address: address, device: device, run: run, liveness: liveness, counters: shared,
              session: session)
            run.end(Result { () throws(GPSDError) in try loop.run(deliver: deliver) })
          }
        } catch {
          run.end(.failure(GPSDError(error, address: address)))
        }
      }
    } onCancel: {
      run.cancel()
    }
    try result.get()
  }

  private static func isPlain(_ device: String) -> Bool {
    (1...127).contains(device.utf8.count)
      && device.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
  }
}

/// The counters of a running source, readable from any thread.
final class SharedGPSDCounters: Sendable {
  private let counters = Mutex(GPSDCounters())

  /// The latest counters.
  var value: GPSDCounters {
    get { counters.withLock { $0 } }
    set { counters.withLock { $0 = newValue } }
  }
}
