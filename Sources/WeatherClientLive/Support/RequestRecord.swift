// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What the requests of one lookup leave behind, kept where they are made: a lookup that is given
/// up has made them too.
final class RequestRecord: Sendable {
  private struct State {
    var count = 0
    var hasHead = false
    var outcome: PathVerifier.Outcome?
  }

  private let state = Mutex(State())

  /// How many went out.
  var count: Int { state.withLock { $0.count } }

  /// What the last of them tells of the network; `nil` where it tells nothing.
  var outcome: PathVerifier.Outcome? { state.withLock { $0.outcome } }

  /// Whether somebody has begun to answer the last of them, whoever it is.
  var hasHead: Bool { state.withLock { $0.hasHead } }

  func countOne() {
    state.withLock {
      $0.count += 1
      $0.hasHead = false
    }
  }

  func headCame() { state.withLock { $0.hasHead = true } }

  func found(_ outcome: PathVerifier.Outcome?) { state.withLock { $0.outcome = outcome } }
}
