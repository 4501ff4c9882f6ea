// SPDX-License-Identifier: Apache-2.0

/// A session of use: from when a program begins to use locations until nothing that it began goes on.
///
/// What is granted once serves one such session, as Core Location's "allow once" does, whatever runs
/// in it side by side: a request for one location beside updates is no second use, nor is a
/// connection that takes the place of another.
struct UseSession: Equatable, Sendable {
  private var runningCount = 0
  private var hasServed = false

  /// Takes what the program does.
  ///
  /// - Returns: Whether a session has ended in which it was told a location.
  mutating func take(_ use: ServiceUse) -> Bool {
    switch use {
    case .started: runningCount += 1
    case .stopped(_, let count):
      runningCount = max(0, runningCount - 1)
      hasServed = hasServed || count > 0
      guard runningCount == 0 else { return false }
      defer { hasServed = false }
      return hasServed
    case .firstLocation, .activityBegan, .activityEnded: break
    }
    return false
  }
}
