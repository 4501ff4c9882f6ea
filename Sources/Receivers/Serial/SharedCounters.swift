// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The counters of a running source, readable from any thread.
package final class SharedCounters: Sendable {
  package init() {}

  private let counters = Mutex(NMEACounters())

  /// The latest counters.
  package var value: NMEACounters {
    get { counters.withLock { $0 } }
    set { counters.withLock { $0 = newValue } }
  }
}
