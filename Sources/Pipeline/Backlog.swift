// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Counts what waits before one sink or is in its hands, so that whoever feeds it can wait for it.
final class Backlog: Sendable {
  private struct State {
    var count = 0
    var isClosed = false
    var waiting: [AsyncStream<Never>.Continuation] = []

    /// Those whose wait is over.
    mutating func takeReleased() -> [AsyncStream<Never>.Continuation] {
      guard count <= 0 || isClosed else { return [] }
      defer { waiting = [] }
      return waiting
    }
  }

  private let state = Mutex(State())

  /// One more waits.
  func add() { state.withLock { $0.count += 1 } }

  /// One has been dealt with, or will never be.
  func settle() { release { $0.count -= 1 } }

  /// Nobody deals with anything any more: nobody need wait.
  func close() { release { $0.isClosed = true } }

  /// Waits until there is none; returns at once when closed or cancelled.
  func waitUntilEmpty() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    release { $0.waiting.append(continuation) }
    // Ends with the stream, or with the task.
    for await _ in stream {}
  }

  private func release(_ change: (inout State) -> Void) {
    let released = state.withLock { state in
      change(&state)
      return state.takeReleased()
    }
    for continuation in released { continuation.finish() }
  }
}
