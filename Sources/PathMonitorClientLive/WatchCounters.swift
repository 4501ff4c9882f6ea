// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Counters of a monitor's watches, for tests.
final class WatchCounters: Sendable {
  struct Counts: Equatable, Sendable {
    /// Wakeups of the watch's thread, without those of Dispatch in the same process.
    var wakeups = 0
    /// The number of datagrams received.
    var messages = 0
    /// The number of times that the kernel dropped datagrams.
    var overruns = 0
    /// The number of complete reads.
    var reads = 0
  }

  private let state = Mutex(Counts())

  /// A consistent copy of all counters.
  var counts: Counts { state.withLock { $0 } }

  func change(_ body: (inout Counts) -> Void) { state.withLock { body(&$0) } }
}
