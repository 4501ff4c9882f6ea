// SPDX-License-Identifier: Apache-2.0

/// A conformance suite for lookups of simulated and live clients.
///
/// The suite makes two concurrent lookups, then two more of which it cancels one, then a last one.
/// It uses a client only through closures, so that it does not depend on any client.
public struct LookupConformance<Answer: Equatable & Sendable>: Sendable {
  /// A rule for lookups; the raw value describes a breach.
  public enum Rule: String, CaseIterable, Sendable {
    /// Two concurrent lookups return the same result.
    case answersAll = "does not give the same answer to two concurrent lookups"
    /// A cancelled lookup ends.
    case endsWithItsTask = "does not end when its task is cancelled"
    /// Cancelling one lookup does not affect another.
    case cancelKeepsOthers = "does not answer a lookup after another was cancelled"
    /// A later lookup returns a result.
    case answersAgain = "does not answer a later lookup"
  }

  private let ask: @Sendable () async throws -> Answer
  private let isWaiting: @Sendable (_ count: Int) async -> Void
  private let release: @Sendable (_ count: Int) async -> Void
  private let expected: Answer?
  private let patience: Duration

  /// Makes a suite for a lookup.
  ///
  /// - Parameters:
  ///   - expected: The expected answer; `nil` if an error is expected.
  ///   - patience: The timeout for each answer.
  ///   - isWaiting: Returns when a number of lookups are waiting, if the source can hold lookups.
  ///   - release: Lets the source complete a number of waiting lookups, if it holds lookups.
  ///   - ask: Makes a lookup.
  public init(
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

  /// Tests all rules, one after the other, and returns the broken rules.
  public func breaches() async -> [Rule] {
    var breaches: [Rule] = []
    let concurrent = [begin(), begin()]
    await release(2)
    for pending in concurrent where await !isAnswered(pending) { breaches.append(.answersAll) }

    let (kept, cancelled) = (begin(), begin())
    await isWaiting(2)
    cancelled.task.cancel()
    if await !hasEnded(cancelled) { breaches.append(.endsWithItsTask) }
    await release(1)
    if await !isAnswered(kept) { breaches.append(.cancelKeepsOthers) }

    let later = begin()
    await release(1)
    if await !isAnswered(later) { breaches.append(.answersAgain) }
    return breaches
  }

  private struct PendingLookup: Sendable {
    let outcome = EventRecorder<Answer?>()
    let task: Task<Void, Never>

    init(_ ask: @escaping @Sendable () async throws -> Answer) {
      task = Task { [outcome] in
        let answer = try? await ask()
        outcome.record(answer)
      }
    }
  }

  private func begin() -> PendingLookup { PendingLookup(ask) }

  private func isAnswered(_ pending: PendingLookup) async -> Bool {
    await hasEnded(pending) && pending.outcome.events == [expected]
  }

  private func hasEnded(_ pending: PendingLookup) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        await pending.outcome.wait(for: 1)
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
