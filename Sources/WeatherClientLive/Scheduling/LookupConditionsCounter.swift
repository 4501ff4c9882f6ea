// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Counts the changes of the conditions for lookups.
///
/// There is no timer: the conditions are compared when the count is read.
package final class LookupConditionsCounter: Sendable {
  private let read: @Sendable () -> LookupConditions
  private let state: Mutex<(last: LookupConditions, count: UInt64)>

  /// Creates a counter that has counted no change.
  ///
  /// - Parameter read: Reads the current conditions.
  package init(_ read: @escaping @Sendable () -> LookupConditions) {
    self.read = read
    state = Mutex((last: read(), count: 0))
  }

  /// Returns the number of changes so far.
  package func count() -> UInt64 {
    let present = read()
    return state.withLock { state in
      if present.haveChanged(since: state.last) {
        state.count &+= 1
        state.last = present
      }
      return state.count
    }
  }
}
