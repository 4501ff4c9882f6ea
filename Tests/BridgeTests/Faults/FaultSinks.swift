// SPDX-License-Identifier: Apache-2.0

import Pipeline
import Positioning
import Synchronization

/// Counts all that it is given: no fault concerns it.
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

/// Writes to what nobody reads, while nobody does.
struct BlockedSink: Sink {
  static let sinkName = "blocked"
  let name = BlockedSink.sinkName
  let world: FaultWorld

  func receive(_ event: any PipelineEvent) async { await world.write() }
}

/// Gives all to a program that ends with an error, while it does.
struct CrashingSink: Sink {
  static let sinkName = "crashing"
  static let reason = "ended with status 3"
  let name = CrashingSink.sinkName
  let world: FaultWorld

  func receive(_ event: any PipelineEvent) async throws {
    guard world.faults.contains(.execCrashing) else { return }
    throw PluginError(.transient(), "/usr/bin/program", why: Self.reason)
  }
}
