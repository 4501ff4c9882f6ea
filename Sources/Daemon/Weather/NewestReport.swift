// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import WeatherClient

/// Passes reports of the fleet to the weather service, one at a time.
///
/// A report that waits is replaced by a newer one, so that many messages use no memory.
final class NewestReport: Sendable {
  struct Report: Sendable {
    var report: WeatherReport
    var ageSeconds: Int64
  }

  private struct State {
    var waiting: Report?
    var isRunning = false
    var replacedCount: UInt64 = 0
  }

  private let state = Mutex(State())
  private let process: @Sendable (Report) async -> Void

  /// Creates an empty slot; `process` is called for one report at a time.
  init(process: @escaping @Sendable (Report) async -> Void) { self.process = process }

  /// The number of reports that were replaced before they were processed.
  var replacedCount: UInt64 { state.withLock { $0.replacedCount } }

  /// Processes a report, or stores it for the end of the current one.
  func receive(_ report: Report) {
    let starts = state.withLock { state in
      if state.waiting != nil { state.replacedCount &+= 1 }
      state.waiting = report
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard starts else { return }
    Task {
      while let next = self.next() { await self.process(next) }
    }
  }

  private func next() -> Report? {
    state.withLock { state in
      let next = state.waiting
      state.waiting = nil
      state.isRunning = next != nil
      return next
    }
  }
}
