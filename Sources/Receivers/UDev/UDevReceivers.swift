// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import SystemSupport

/// Finds receivers that are plugged in, and notices those that come and go.
///
/// Asks udev only: no devnode is opened.
public struct UDevReceivers: Sendable {
  /// What decides about devices.
  public let policy: DiscoveryPolicy

  /// Makes a finder that asks nothing yet.
  public init(policy: DiscoveryPolicy = DiscoveryPolicy()) { self.policy = policy }

  /// What is plugged in now.
  ///
  /// - Returns: One event a device, then settled; unavailable where nothing can be listed.
  public func present() -> [DiscoveryEvent] {
    var events: [DiscoveryEvent] = []
    UDevLoop.enumerateOnce(policy: policy) { events.append($0) }
    return events
  }

  /// Tells of receivers until the task is cancelled.
  ///
  /// Where no udevd runs it tells what is there, then that no more will come, and waits: ending
  /// would only have it started again.
  ///
  /// - Parameter deliver: Takes each event, in order, on a thread of its own.
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
          try SourceThread.start { pulse in
            UDevLoop(policy: policy, wake: wake, pulse: pulse, deliver: deliver).run()
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
