// SPDX-License-Identifier: Apache-2.0

public import Positioning
import Synchronization
internal import SystemSupport

/// The receivers that a gpsd reads, as one source.
///
/// Runs until it is cancelled: a gpsd that is not there is looked for, and one that goes is waited
/// for. Delivers from a thread of its own, since libgps blocks, and keeps nothing back: there is
/// no queue in which a position could grow old.
public struct GPSDSource: FixSource {
  /// Where gpsd listens.
  public let address: GPSDAddress
  /// The one receiver to ask for, by gpsd's name; `nil` takes all.
  public let device: String?

  private let options: GPSDSession.Options
  private let shared = SharedGPSDCounters()

  /// Makes a source that connects to nothing yet.
  ///
  /// - Parameters:
  ///   - address: Where gpsd listens.
  ///   - device: The one receiver to ask for, by gpsd's name; `nil` takes all.
  ///   - silence: How long nothing may come until a receiver counts as lost; gpsd says nothing
  ///     when one is unplugged. At least a tenth of a second.
  public init(address: GPSDAddress, device: String? = nil, silence: Duration = .milliseconds(4500))
  {
    var options = GPSDSession.Options()
    let (seconds, attoseconds) = silence.components
    // A century is as good as for ever, and cannot overflow.
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

  /// `gpsd:HOST:PORT`.
  public var name: String { "gpsd:\(address)" }

  /// What the present or last run has seen.
  public var counters: GPSDCounters { shared.value }

  /// Asks gpsd until the task is cancelled.
  ///
  /// - Parameter deliver: Takes each event, in order, on the reading thread.
  /// - Throws: ``GPSDError`` for what cannot be mended. A gpsd that is not there, a lost
  ///   connection and a cancelled task are not errors.
  public func run(
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(GPSDError) {
    guard !Task.isCancelled else { return }
    // libgps puts it into JSON as it is.
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
          try SourceThread.start { [address, device, shared] pulse in
            var loop = GPSDReadLoop(
              address: address, device: device, run: run, pulse: pulse, counters: shared,
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

/// The counters of a running source, for whoever looks in from outside.
final class SharedGPSDCounters: Sendable {
  private let counters = Mutex(GPSDCounters())

  /// The latest figures.
  var value: GPSDCounters {
    get { counters.withLock { $0 } }
    set { counters.withLock { $0 = newValue } }
  }
}
