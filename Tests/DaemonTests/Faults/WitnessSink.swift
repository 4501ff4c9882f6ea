// SPDX-License-Identifier: Apache-2.0

import Pipeline
import Positioning
import Synchronization

/// A sink that counts all events and is not affected by any fault.
final class WitnessSink: Sink {
  struct Count: Sendable {
    var events: UInt64 = 0
    var locations: UInt64 = 0
    var weather: UInt64 = 0
    var lastLocationAt: MonotonicTime?
  }

  let name = "witness"
  private let now: @Sendable () -> MonotonicTime
  private let state = Mutex(Count())

  init(now: @escaping @Sendable () -> MonotonicTime) { self.now = now }

  var count: Count { state.withLock { $0 } }

  func receive(_ event: any PipelineEvent) async {
    state.withLock { state in
      state.events += 1
      if event is EnrichedEvent { state.weather += 1 }
      guard event is LocationEvent else { return }
      state.locations += 1
      state.lastLocationAt = now()
    }
  }
}
