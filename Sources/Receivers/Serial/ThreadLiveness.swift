// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Whether a thread that reads is at work or waits for the next bytes.
///
/// One that waits is well, however long nothing comes: a receiver may be unplugged. One that is at
/// work has to come back to waiting, and whoever wants to know is told when it does.
final class ThreadLiveness: Sendable {
  private struct State {
    var isWorking = true
    var asking: [UInt64: AsyncStream<Never>.Continuation] = [:]
    var askedCount: UInt64 = 0
  }

  private let state = Mutex(State())

  /// The thread begins to wait, for bytes or for a call that takes as long as it likes.
  func waits() {
    let asking = state.withLock { state in
      state.isWorking = false
      defer { state.asking = [:] }
      return state.asking.values
    }
    for continuation in asking { continuation.finish() }
  }

  /// The thread goes on.
  func works() { state.withLock { $0.isWorking = true } }

  /// Returns when the thread waits, which may be now, or when the task is cancelled.
  func answer() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    let number = state.withLock { state -> UInt64? in
      guard state.isWorking else { return nil }
      state.askedCount &+= 1
      state.asking[state.askedCount] = continuation
      return state.askedCount
    }
    guard let number else { return }
    for await _ in stream {}
    // Whoever has given up asking does not stay.
    state.withLock { $0.asking[number] = nil }
  }
}
