// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Records events of the code under test, from any thread, and lets a test wait for events.
///
/// The recorder keeps all events.
public final class EventRecorder<Event: Sendable>: Sendable {
  private struct Waiter {
    var id: UInt64
    var isSatisfied: @Sendable ([Event]) -> Bool
    var continuation: CheckedContinuation<[Event], Never>
  }

  private struct State {
    var events: [Event] = []
    var waiters: [Waiter] = []
    var nextID: UInt64 = 0
    var cancelled: Set<UInt64> = []
  }

  private let state = Mutex(State())

  /// Makes a recorder without events.
  public init() {}

  /// The events recorded so far.
  public var events: [Event] { state.withLock { $0.events } }

  /// Records an event.
  public func record(_ event: Event) {
    let (events, ready) = state.withLock { state in
      state.events.append(event)
      let events = state.events
      let ready = state.waiters.filter { $0.isSatisfied(events) }
      state.waiters.removeAll { $0.isSatisfied(events) }
      return (events, ready)
    }
    for waiter in ready { waiter.continuation.resume(returning: events) }
  }

  /// Waits until the recorded events satisfy a condition.
  ///
  /// Also returns when the task is cancelled, for example by a test's time limit, so that the
  /// test's expectations fail.
  ///
  /// - Parameter isSatisfied: The condition.
  /// - Returns: The events recorded so far.
  @discardableResult
  public func wait(until isSatisfied: @escaping @Sendable ([Event]) -> Bool) async -> [Event] {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let events = state.withLock { state -> [Event]? in
          if isSatisfied(state.events) || state.cancelled.remove(id) != nil {
            return state.events
          }
          state.waiters.append(
            Waiter(id: id, isSatisfied: isSatisfied, continuation: continuation))
          return nil
        }
        if let events { continuation.resume(returning: events) }
      }
    } onCancel: {
      let (events, waiter) = state.withLock { state -> ([Event], Waiter?) in
        guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
          state.cancelled.insert(id)
          return (state.events, nil)
        }
        return (state.events, state.waiters.remove(at: index))
      }
      waiter?.continuation.resume(returning: events)
    }
  }

  /// Waits until at least `count` events are recorded, and returns all events.
  @discardableResult
  public func wait(for count: Int) async -> [Event] { await wait { $0.count >= count } }
}
