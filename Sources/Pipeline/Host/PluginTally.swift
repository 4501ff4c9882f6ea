// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Synchronization

/// Counts what one plugin does, over all its instances.
final class PluginTally: Sendable {
  struct Counts {
    var inCount: UInt64 = 0
    var passedOverCount: UInt64 = 0
    var outCount: UInt64 = 0
    var errorCount: UInt64 = 0
    var timeoutCount: UInt64 = 0
    var lastError: PluginError?
    var lastErrorAt: MonotonicTime?
    var lastSuccessAt: MonotonicTime?
  }

  private let state = Mutex(Counts())
  private let now: @Sendable () -> MonotonicTime

  init(now: @escaping @Sendable () -> MonotonicTime) { self.now = now }

  var counts: Counts { state.withLock { $0 } }

  func took() { state.withLock { $0.inCount &+= 1 } }

  func passedOver() { state.withLock { $0.passedOverCount &+= 1 } }

  func gaveOn(_ count: UInt64 = 1) { state.withLock { $0.outCount &+= count } }

  func timedOut() { state.withLock { $0.timeoutCount &+= 1 } }

  func succeeded() {
    let now = now()
    state.withLock { $0.lastSuccessAt = now }
  }

  func failed(_ error: PluginError) {
    let now = now()
    state.withLock {
      $0.errorCount &+= 1
      $0.lastError = error
      $0.lastErrorAt = now
    }
  }
}
