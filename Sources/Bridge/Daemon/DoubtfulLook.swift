// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import LocationServices
internal import Synchronization

/// Looks for what is doubtful in a configuration on this board, on a thread of its own.
///
/// Whoever looks at a folder on a server that is away is kept waiting, for good where it is mounted
/// hard: neither the start nor the next configuration may wait for that. One looks at a time, so that
/// those who wait do not pile up; of what is read meanwhile the newest is looked at after.
final class DoubtfulLook: Sendable {
  private struct State {
    var isLooking = false
    var next: ConfigurationLoader.Loaded?
  }

  private let state = Mutex(State())
  private let doubts: @Sendable (ConfigurationLoader.Loaded) -> [String]
  private let report: @Sendable (DaemonNotice) -> Void

  /// Makes one that looks at nothing yet.
  ///
  /// - Parameters:
  ///   - doubts: What is doubtful in what was read, a line each; may take as long as it does.
  ///   - report: Takes what is to be logged; returns at once.
  init(
    doubts: @escaping @Sendable (ConfigurationLoader.Loaded) -> [String],
    report: @escaping @Sendable (DaemonNotice) -> Void
  ) {
    self.doubts = doubts
    self.report = report
  }

  /// Looks, and reports what is doubtful when that is known; returns at once.
  ///
  /// - Parameter loaded: What was read.
  func look(at loaded: ConfigurationLoader.Loaded) {
    let begins = state.withLock { state in
      state.next = loaded
      defer { state.isLooking = true }
      return !state.isLooking
    }
    guard begins else { return }
    // No thread to be had: it is no more than advice.
    if !OwnThread.start({ self.lookOn() }) {
      state.withLock { $0 = State() }
    }
  }

  private func lookOn() {
    while let loaded = next() {
      let lines = doubts(loaded)
      if !lines.isEmpty { report(.doubtful(lines)) }
    }
  }

  private func next() -> ConfigurationLoader.Loaded? {
    state.withLock { state in
      defer { state.next = nil }
      if state.next == nil { state.isLooking = false }
      return state.next
    }
  }
}
