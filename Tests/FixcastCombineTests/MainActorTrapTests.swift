// SPDX-License-Identifier: Apache-2.0

import OpenCombine
import Testing

/// Why this product delivers on the main actor.
@Suite(.timeLimit(.minutes(5))) struct MainActorTrapTests {
  @Test func `a closure of the main actor that is called elsewhere ends the program`() async {
    await #expect(processExitsWith: .failure) {
      let listener = await Listener()
      nonisolated(unsafe) let subject = listener.subject
      await Task.detached { subject.send(1) }.value
    }
  }

  @Test func `called on the main actor it does not`() async {
    await #expect(processExitsWith: .success) {
      let listener = await Listener()
      await MainActor.run { listener.subject.send(1) }
    }
  }
}

/// Listens with a closure that is bound to the main actor, being written there.
@MainActor private final class Listener {
  nonisolated(unsafe) let subject = PassthroughSubject<Int, Never>()
  private var sum = 0
  private var subscription: AnyCancellable?

  init() {
    subscription = subject.sink { [weak self] in self?.sum += $0 }
  }
}
