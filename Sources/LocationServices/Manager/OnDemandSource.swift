// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// Serves locations while they are used, which it is told as a policy is, and decides at any time.
///
/// A program that has nothing started is told what it may know, and is no user of locations to whoever
/// keeps the log, nor has it used what was allowed it once.
package protocol OnDemandSource: FixSource {
  /// Delivers while something is started, until the task is cancelled.
  func runOnDemand(delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void) async
}
