// SPDX-License-Identifier: Apache-2.0

import OpenCombine
import Testing

/// Tests of the behavior of Swift that requires FixcastCombine to deliver on the main actor.
@Suite(.timeLimit(.minutes(5))) struct MainActorTrapTests {
  @Test func `calling a main-actor closure on another thread crashes the program`() async {
    await #expect(processExitsWith: .failure) {
      let listener = await Listener()
      await Task.detached { listener.subject.send(1) }.value
    }
  }

  @Test func `calling a main-actor closure on the main actor does not crash`() async {
    await #expect(processExitsWith: .success) {
      let listener = await Listener()
      await MainActor.run { listener.subject.send(1) }
    }
  }
}

/// A subscriber whose closure is isolated to the main actor.
@MainActor private final class Listener {
  nonisolated(unsafe) let subject = PassthroughSubject<Int, Never>()
  private var sum = 0
  private var subscription: AnyCancellable?

  init() {
    subscription = subject.sink { [weak self] in self?.sum += $0 }
  }
}
