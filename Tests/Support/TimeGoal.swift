// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A goal for a measured time, which only an idle machine reaches.
///
/// Tests print what they measured. They compare it with the goal only if `FIXCAST_CHECKS_TIMES` is
/// set, as `make test-times` does: a busy machine must not fail a test.
package enum TimeGoal {
  private static let isChecked = getenv("FIXCAST_CHECKS_TIMES") != nil

  /// Whether a time reaches its goal, or goals are not checked.
  package static func isReached(_ seconds: Double?, atMostSeconds goal: Double) -> Bool {
    guard isChecked else { return true }
    return seconds.map { $0 <= goal } ?? false
  }

  /// Whether a time reaches its goal, or goals are not checked.
  package static func isReached(_ time: Duration?, atMostSeconds goal: Double) -> Bool {
    isReached(time.map { $0 / .seconds(1) }, atMostSeconds: goal)
  }
}
