// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import WeatherClient

/// What the requests of one lookup leave behind, kept where they are made: a lookup that is given
/// up has made them too.
final class RequestRecord: Sendable {
  private struct State {
    var count = 0
    var hasHead = false
    var outcome: PathVerifier.Outcome?
  }

  private let state = Mutex(State())
  private let limit: Int

  /// - Parameter limit: How many may go out.
  init(limit: Int = .max) { self.limit = limit }

  /// How many went out.
  var count: Int { state.withLock { $0.count } }

  /// What the last of them tells of the network; `nil` where it tells nothing.
  var outcome: PathVerifier.Outcome? { state.withLock { $0.outcome } }

  /// Whether somebody has begun to answer the last of them, whoever it is.
  var hasHead: Bool { state.withLock { $0.hasHead } }

  /// Counts a request that is about to go out.
  ///
  /// - Throws: `notDue` where no further may.
  func countOne() throws(WeatherError) {
    let isAllowed = state.withLock { state in
      guard state.count < limit else { return false }
      state.count += 1
      state.hasHead = false
      return true
    }
    guard isAllowed else {
      throw .notDue(afterSeconds: 3600, reason: "a day's budget ends within the lookup")
    }
  }

  func headCame() { state.withLock { $0.hasHead = true } }

  func found(_ outcome: PathVerifier.Outcome?) { state.withLock { $0.outcome = outcome } }
}
