// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Synchronization

/// The part of the shell that takes events from other threads.
extension ServerShell {
  /// The way in which a submitted event is handled.
  private enum Route {
    /// The event has been stored; there are no clients.
    case stored
    /// The core has handled the event; the publishing thread performs these actions.
    case direct([ServerCore.Action])
    /// The event loop handles the event.
    case loop
  }

  /// Submits an event from any thread, and returns at once.
  ///
  /// If there are no connections, a published event is stored on the calling thread, so that the
  /// event loop is not woken. If all recipients are feeds, the calling thread writes to their
  /// sockets, because the change of threads would delay each position.
  func submit(_ event: ServerCore.Event) {
    let route = state.withLock { state -> Route in
      // Pending events must be handled first.
      guard case .published = event, !state.isRunning, state.events.isEmpty,
        state.submittedCount == 0
      else {
        state.submittedCount += 1
        return .loop
      }
      if state.core.hasNoClients {
        // Without clients, there are no actions to perform. No reduced location is computed either,
        // so this thread does not wait for the disk.
        _ = state.core.handle(event, at: now())
        return .stored
      }
      guard state.core.publishesOnlyToFeeds(event) else {
        state.submittedCount += 1
        return .loop
      }
      // The event loop queues events until the actions are performed.
      state.isRunning = true
      return .direct(state.core.handle(event, at: now()))
    }
    switch route {
    case .stored: break
    case .direct(let actions): performDirectly(actions)
    case .loop: loop.execute { self.handle(event, isSubmitted: true) }
    }
  }

  /// Performs the actions of a published event on the calling thread.
  ///
  /// The event loop writes the bytes that a socket does not accept at once. The core starts no
  /// other write to that connection until these bytes are written, so the order is kept.
  private func performDirectly(_ actions: [ServerCore.Action]) {
    var pending = actions
    var needsLoop = false
    while !pending.isEmpty {
      let current = pending
      pending = []
      for action in current {
        guard case .write(let id, let bytes) = action else {
          perform(action)
          continue
        }
        let rest = directSocket(id)?.write(bytes) ?? bytes[...]
        if rest.isEmpty {
          pending += state.withLock { $0.core.handle(.written(id), at: now()) }
        } else {
          needsLoop = true
          loop.execute { self.write(Array(rest), to: id) }
        }
      }
    }
    let isIdle = state.withLock { state in
      guard !needsLoop, !state.needsTimer, state.events.isEmpty else { return false }
      state.isRunning = false
      return true
    }
    // The event loop handles the events that were queued meanwhile, and sets the timer for the
    // writes in progress.
    if !isIdle { loop.execute { self.handleQueuedEvents() } }
  }
}
