// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Brings what a program answers to who waits for it: matched by number, late ones counted.
final class ExecReplies: Sendable {
  enum Reply: Equatable, Sendable {
    case found(JSONValue?)
    case failed(String)
    /// It took too long.
    case none
    /// The program is gone.
    case ended
  }

  private struct State {
    var awaited: UInt64?
    var waiter: CheckedContinuation<Reply, Never>?
    var early: Reply?
    var hasEnded = false
  }

  private let state = Mutex(State())

  /// From now on a reply to this location is awaited, and to no other.
  func expect(_ id: UInt64) {
    state.withLock {
      $0.awaited = id
      $0.early = nil
    }
  }

  /// Whether somebody waits for a reply to that location.
  func settle(_ id: UInt64, _ reply: Reply) -> Bool {
    let (isAwaited, waiter) = state.withLock { state in
      guard state.awaited == id else { return (false, nil as CheckedContinuation<Reply, Never>?) }
      state.awaited = nil
      defer { state.waiter = nil }
      if state.waiter == nil { state.early = reply }
      return (true, state.waiter)
    }
    waiter?.resume(returning: reply)
    return isAwaited
  }

  /// There will be no reply any more.
  func end() {
    let waiter = state.withLock { state in
      state.hasEnded = true
      state.awaited = nil
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: .ended)
  }

  /// Waits for the reply that is awaited.
  func reply() async -> Reply {
    await withCheckedContinuation { continuation in
      let reply = state.withLock { state -> Reply? in
        if let early = state.early {
          state.early = nil
          return early
        }
        if state.hasEnded { return .ended }
        guard state.awaited != nil else { return Reply.none }
        state.waiter = continuation
        return nil
      }
      if let reply { continuation.resume(returning: reply) }
    }
  }
}
