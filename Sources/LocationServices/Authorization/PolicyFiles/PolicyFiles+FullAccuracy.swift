// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import SystemSupport

/// Full accuracy for a while.
extension PolicyFiles {
  /// Asks an operator for full accuracy for a while, and waits for the answer.
  ///
  /// It is filed like any request, and answered with `fixcast auth allow WHO --full --for 10m`.
  ///
  /// - Parameter purposeKey: What for, by one of the keys that the policy was given.
  /// - Returns: For how long; or that it was refused, that nobody answered within the time that a
  ///   rule allows, or that the task was cancelled.
  public func decideFullAccuracy(purposeKey: String) async -> FullAccuracyAnswer {
    let isKnown = purposes.map { $0[purposeKey] != nil } ?? purposeKey.contains { !$0.isWhitespace }
    guard isKnown else { return .unknownPurpose }
    // Somebody has to look for the answer.
    let updates = updates()
    defer { withExtendedLifetime(updates) {} }
    let id = state.withLock { state in
      state.waiterCount &+= 1
      return state.waiterCount
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        jobs.add {
          self.state.withLock { state in
            guard state.waiting.add(id, purposeKey, continuation) else { return }
            state.snapshot.read()
            self.reportProblems(&state)
            self.follow(&state)
            let effects = state.session.askFullAccuracy(
              purposeKey, state.snapshot.evaluation, at: self.now())
            self.run(effects, &state)
          }
        }
      }
    } onCancel: {
      jobs.add {
        self.state.withLock { state in
          guard let key = state.waiting.cancel(id) else { return }
          self.run(state.session.abandonFullAccuracy(key), &state)
        }
      }
    }
  }
}
