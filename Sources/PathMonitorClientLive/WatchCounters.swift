// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What a watch has done so far, for whoever wants to know what it costs.
final class WatchCounters: Sendable {
  struct Counts: Equatable, Sendable {
    /// How often its thread was woken; what Dispatch does in the same process is not among them.
    var wakeups = 0
    /// How many datagrams it was told.
    var messages = 0
    /// How often the kernel had to drop some.
    var overruns = 0
    /// How often it read everything.
    var reads = 0
  }

  private let state = Mutex(Counts())

  /// All of them at one moment.
  var counts: Counts { state.withLock { $0 } }

  func change(_ body: (inout Counts) -> Void) { state.withLock { body(&$0) } }
}
