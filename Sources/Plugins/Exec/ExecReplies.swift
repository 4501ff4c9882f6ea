// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Matches a program's replies, by number, to the location that is waiting for a reply.
final class ExecReplies: Sendable {
  enum Reply: Equatable, Sendable {
    case found(JSONValue?)
    case failed(String)
    /// No reply arrived in time.
    case timedOut
    /// The program has ended.
    case ended
  }

  private struct State {
    var expected: UInt64?
    var waiter: CheckedContinuation<Reply, Never>?
    var early: Reply?
    var hasEnded = false
  }

  private let state = Mutex(State())

  /// Begins to expect a reply for this location, instead of any earlier location.
  func expect(_ id: UInt64) {
    state.withLock {
      $0.expected = id
      $0.early = nil
    }
  }

  /// Completes the wait for this location's reply; returns false if no such reply is expected.
  func complete(_ id: UInt64, _ reply: Reply) -> Bool {
    let (isExpected, waiter) = state.withLock { state in
      guard state.expected == id else { return (false, nil as CheckedContinuation<Reply, Never>?) }
      state.expected = nil
      defer { state.waiter = nil }
      if state.waiter == nil { state.early = reply }
      return (true, state.waiter)
    }
    waiter?.resume(returning: reply)
    return isExpected
  }

  /// Ends all waits, because the program has ended.
  func end() {
    let waiter = state.withLock { state in
      state.hasEnded = true
      state.expected = nil
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: .ended)
  }

  /// Waits for the expected reply.
  func reply() async -> Reply {
    await withCheckedContinuation { continuation in
      let reply = state.withLock { state -> Reply? in
        if let early = state.early {
          state.early = nil
          return early
        }
        if state.hasEnded { return .ended }
        guard state.expected != nil else { return Reply.timedOut }
        state.waiter = continuation
        return nil
      }
      if let reply { continuation.resume(returning: reply) }
    }
  }
}
