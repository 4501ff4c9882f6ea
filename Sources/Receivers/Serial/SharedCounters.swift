// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The counters of a running source, for whoever looks in from outside.
final class SharedCounters: Sendable {
  private let counters = Mutex(NMEACounters())

  /// The latest figures.
  var value: NMEACounters {
    get { counters.withLock { $0 } }
    set { counters.withLock { $0 = newValue } }
  }
}
