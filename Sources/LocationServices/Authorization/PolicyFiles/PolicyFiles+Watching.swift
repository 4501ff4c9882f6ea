// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import SystemSupport

/// Looking at the files when they change, and when something ends by itself.
extension PolicyFiles {
  /// How often files are looked at where the kernel tells of no changes.
  private static let pollInterval: Duration = .milliseconds(500)
  /// How often, where something ends within a second: its end is known to the second only.
  private static let endInterval: Duration = .milliseconds(50)

  /// How often, where something cannot be read for a reason that may pass: until then nobody may know.
  private static let retryInterval: Duration = .seconds(1)

  /// Whether the kernel tells of changes; until it ends.
  private final class Telling: Sendable {
    let isOver = Atomic<Bool>(false)
  }

  func watch() -> Task<Void, Never> {
    let (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    waker.yield()
    return Task { [weak self, clock] in
      let telling = Telling()
      let kernel = self?.listenToKernel { event in
        if case .ended = event { telling.isOver.store(true, ordering: .relaxed) }
        waker.yield()
      }
      var timer: Task<Void, Never>?
      defer { timer?.cancel() }
      for await _ in wakes {
        let isTold = kernel != nil && !telling.isOver.load(ordering: .relaxed)
        guard let pause = await self?.onThread({ $0.look(isTold: isTold) }) else { return }
        timer?.cancel()
        timer = Task { if (try? await clock.sleep(for: pause)) != nil { waker.yield() } }
      }
      withExtendedLifetime(kernel) {}
    }
  }

  /// Looks at the files; gives how long the next look may wait.
  private func look(isTold: Bool) -> Duration {
    state.withLock { state in
      state.lookCount &+= 1
      let isSettled = state.snapshot.readChanged(at: elapsed())
      reportProblems(&state)
      claimGrant(&state)
      follow(&state)
      var pause = interval
      if !isTold || state.snapshot.hasLinks { pause = min(pause, Self.pollInterval) }
      if state.snapshot.isUnread { pause = min(pause, Self.retryInterval) }
      if !isSettled { pause = min(pause, PolicySnapshot.settling) }
      if let left = state.session.secondsToDeadline(state.snapshot.evaluation, at: now()) {
        pause = min(pause, left > 1 ? .seconds(left - 1) : Self.endInterval)
      }
      return pause
    }
  }

  /// Does what follows from what is said now.
  func follow(_ state: inout State) {
    state.snapshot.readChangedAnswers()
    run(state.session.follow(state.snapshot.evaluation, at: now()), &state)
  }

  func forget(_ id: UInt64) {
    let isLast = listeners.withLock { listeners in
      listeners.continuations[id] = nil
      guard listeners.continuations.isEmpty else { return false }
      listeners.watching?.cancel()
      listeners.watching = nil
      return true
    }
    guard isLast else { return }
    // Nobody would hear the answer: the program has gone on, or its manager is gone.
    jobs.add {
      self.state.withLock { state in
        guard self.listeners.withLock({ $0.continuations.isEmpty }) else { return }
        self.run(state.session.abandon(), &state)
      }
    }
  }
}
