// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import SystemSupport

/// Discovers receivers that are plugged in, and monitors changes.
///
/// Queries udev only and opens no devnode.
public struct UDevReceivers: Sendable {
  /// The policy for using devices.
  public let policy: DiscoveryPolicy

  /// Makes a discovery with a policy.
  public init(policy: DiscoveryPolicy = DiscoveryPolicy()) { self.policy = policy }

  /// Returns the present devices.
  ///
  /// - Returns: One event per device, then ``DiscoveryEvent/settled``; only
  ///   ``DiscoveryEvent/unavailable(_:)`` if libudev fails.
  public func present() -> [DiscoveryEvent] {
    var events: [DiscoveryEvent] = []
    UDevLoop.enumerateOnce(policy: policy) { events.append($0) }
    return events
  }

  /// Delivers the present devices and their changes until the task is cancelled.
  ///
  /// Without udevd, delivers the present devices and ``DiscoveryEvent/unavailable(_:)``, then
  /// waits for the cancellation.
  ///
  /// - Parameter deliver: Receives each event, in order, on a separate thread.
  public func run(delivering deliver: @escaping @Sendable (DiscoveryEvent) -> Void) async {
    guard !Task.isCancelled else { return }
    let wake: WakeUp
    do throws(SystemCallFailure) {
      wake = try WakeUp()
    } catch {
      return deliver(.unavailable(.failed(errorNumber: error.number)))
    }
    let policy = policy
    await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        do throws(SystemCallFailure) {
          try SourceThread.start { liveness in
            UDevLoop(policy: policy, wake: wake, liveness: liveness, deliver: deliver).run()
            continuation.resume()
          }
        } catch {
          deliver(.unavailable(.failed(errorNumber: error.number)))
          continuation.resume()
        }
      }
    } onCancel: {
      wake.signal()
    }
  }
}
