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
    var expectedID: UInt64?
    var waiter: CheckedContinuation<Reply, Never>?
    var earlyReply: Reply?
    var hasEnded = false
  }

  private let state = Mutex(State())

  /// Expects the reply to this location instead of the reply to any earlier location.
  func expect(_ id: UInt64) {
    state.withLock {
      $0.expectedID = id
      $0.earlyReply = nil
    }
  }

  /// Completes the wait for this location's reply; returns false if no such reply is expected.
  func complete(_ id: UInt64, _ reply: Reply) -> Bool {
    let (isExpected, waiter) = state.withLock { state in
      guard state.expectedID == id else {
        return (false, nil as CheckedContinuation<Reply, Never>?)
      }
      state.expectedID = nil
      defer { state.waiter = nil }
      if state.waiter == nil { state.earlyReply = reply }
      return (true, state.waiter)
    }
    waiter?.resume(returning: reply)
    return isExpected
  }

  /// Ends all waits, because the program has ended.
  func end() {
    let waiter = state.withLock { state in
      state.hasEnded = true
      state.expectedID = nil
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: .ended)
  }

  /// Waits for the expected reply.
  func waitForReply() async -> Reply {
    await withCheckedContinuation { continuation in
      let reply = state.withLock { state -> Reply? in
        if let earlyReply = state.earlyReply {
          state.earlyReply = nil
          return earlyReply
        }
        if state.hasEnded { return .ended }
        guard state.expectedID != nil else { return Reply.timedOut }
        state.waiter = continuation
        return nil
      }
      if let reply { continuation.resume(returning: reply) }
    }
  }
}
