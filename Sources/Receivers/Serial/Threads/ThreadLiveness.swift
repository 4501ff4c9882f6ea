// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Shows whether a reading thread hangs: a working thread must return to waiting for input.
///
/// A waiting thread is responsive no matter how long it waits, since a receiver may be silent or
/// unplugged.
final class ThreadLiveness: Sendable {
  private struct State {
    var isWorking = true
    var requests: [UInt64: AsyncStream<Never>.Continuation] = [:]
    var requestCount: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Marks the thread as waiting for input, or for a call that may take any time.
  func beginWaiting() {
    let requests = state.withLock { state in
      state.isWorking = false
      defer { state.requests = [:] }
      return state.requests.values
    }
    for continuation in requests { continuation.finish() }
  }

  /// Marks the thread as working.
  func beginWorking() { state.withLock { $0.isWorking = true } }

  /// Returns as soon as the thread is waiting, or when the task is cancelled.
  func ping() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    let number = state.withLock { state -> UInt64? in
      guard state.isWorking else { return nil }
      state.requestCount &+= 1
      state.requests[state.requestCount] = continuation
      return state.requestCount
    }
    guard let number else { return }
    for await _ in stream {}
    // Only `beginWaiting` removes other requests, so remove a cancelled request here.
    state.withLock { $0.requests[number] = nil }
  }
}
