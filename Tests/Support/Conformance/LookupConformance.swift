// SPDX-License-Identifier: Apache-2.0

/// What every endpoint that answers keeps to, played or live: a suite for all of them.
///
/// It asks twice at once, gives one up, and asks again. It knows a client by closures alone, so
/// that it depends on none.
package struct LookupConformance<Answer: Equatable & Sendable>: Sendable {
  /// A rule that a lookup keeps to.
  package enum Rule: String, CaseIterable, Sendable {
    /// Of two who ask at once, both are answered, and alike.
    case answersEverybody = "does not answer two who ask at once alike"
    /// Who gives up waits no longer.
    case endsWithItsTask = "does not end with the task that asks"
    /// Who gives up costs nobody else the answer.
    case givingUpCostsNobody = "costs one the answer when another gives up"
    /// Who asks again is answered.
    case answersAgain = "does not answer who asks again"
  }

  private let ask: @Sendable () async throws -> Answer
  private let isWaiting: @Sendable (_ count: Int) async -> Void
  private let release: @Sendable (_ count: Int) async -> Void
  private let expected: Answer?
  private let patience: Duration

  /// Describes a lookup.
  ///
  /// - Parameters:
  ///   - expected: The answer; `nil` where it is an error.
  ///   - patience: How long to wait for an answer, before it counts as missing.
  ///   - isWaiting: Returns when so many lookups wait for an answer, where they can be held.
  ///   - release: Lets so many waiting lookups be answered, where they are not at once.
  ///   - ask: Asks.
  package init(
    expecting expected: Answer?, patience: Duration = .seconds(20),
    isWaiting: @escaping @Sendable (_ count: Int) async -> Void = { _ in },
    release: @escaping @Sendable (_ count: Int) async -> Void = { _ in },
    ask: @escaping @Sendable () async throws -> Answer
  ) {
    self.ask = ask
    self.isWaiting = isWaiting
    self.release = release
    self.expected = expected
    self.patience = patience
  }

  /// Tries all rules, one after the other.
  ///
  /// - Returns: The rules that the lookup breaks.
  package func breaches() async -> [Rule] {
    var breaches: [Rule] = []
    let both = [begin(), begin()]
    await release(2)
    for asked in both where await !isAnswered(asked) { breaches.append(.answersEverybody) }

    let (stays, givesUp) = (begin(), begin())
    await isWaiting(2)
    givesUp.task.cancel()
    if await !hasEnded(givesUp) { breaches.append(.endsWithItsTask) }
    await release(1)
    if await !isAnswered(stays) { breaches.append(.givingUpCostsNobody) }

    let again = begin()
    await release(1)
    if await !isAnswered(again) { breaches.append(.answersAgain) }
    return breaches
  }

  private struct Asked: Sendable {
    let outcome = EventRecorder<Answer?>()
    let task: Task<Void, Never>

    init(_ ask: @escaping @Sendable () async throws -> Answer) {
      task = Task { [outcome] in
        let answer = try? await ask()
        outcome.record(answer)
      }
    }
  }

  private func begin() -> Asked { Asked(ask) }

  private func isAnswered(_ asked: Asked) async -> Bool {
    await hasEnded(asked) && asked.outcome.events == [expected]
  }

  private func hasEnded(_ asked: Asked) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        await asked.outcome.wait(for: 1)
        return !Task.isCancelled
      }
      group.addTask { [patience] in
        try? await ContinuousClock().sleep(for: patience)
        return false
      }
      let first = await group.next() ?? false
      group.cancelAll()
      return first
    }
  }
}
