// SPDX-License-Identifier: Apache-2.0

internal import OpenCombine

/// The place where a publisher calls its subscribers: the main actor or a scheduler.
struct Delivery: Sendable {
  /// Runs an action at the place and returns after that.
  let run: @Sendable (_ action: @escaping @Sendable () -> Void) async -> Void

  static let mainActor = Delivery { action in await MainActor.run(body: action) }

  /// Makes a delivery on a scheduler, which holds at most one action of each subscription.
  static func on(_ scheduler: some Scheduler) -> Delivery {
    // Schedulers may be called on any thread, but OpenCombine does not declare them as `Sendable`.
    nonisolated(unsafe) let scheduler = scheduler
    return Delivery { action in
      await withCheckedContinuation { continuation in
        scheduler.schedule {
          action()
          continuation.resume()
        }
      }
    }
  }
}
