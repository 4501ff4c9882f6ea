// SPDX-License-Identifier: Apache-2.0

/// A session of use: from the first service that a program starts until all services have ended.
///
/// A one-time grant covers one session, as Core Location's "allow once" does, no matter how many
/// services run at the same time. A one-shot request during updates, or a connection that
/// replaces another one, belongs to the same session.
struct UseSession: Equatable, Sendable {
  private var runningCount = 0
  private var hasServed = false

  /// Processes a service use.
  ///
  /// - Returns: Whether a session has ended in which a location was delivered.
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
