// SPDX-License-Identifier: Apache-2.0

/// Who waits to hear whether there is full accuracy for a while.
struct FullAccuracyWaiters: Sendable {
  private struct Waiter: Sendable {
    var purposeKey: String
    var continuation: CheckedContinuation<FullAccuracyAnswer, Never>
  }

  private var waiters: [UInt64: Waiter] = [:]
  /// Gave up before they began to wait.
  private var cancelled: Set<UInt64> = []

  /// Begins to wait; an answer that is not wanted any more comes at once.
  ///
  /// - Returns: Whether it waits.
  mutating func add(
    _ id: UInt64, _ purposeKey: String,
    _ continuation: CheckedContinuation<FullAccuracyAnswer, Never>
  ) -> Bool {
    if cancelled.remove(id) != nil {
      continuation.resume(returning: .declined)
      return false
    }
    waiters[id] = Waiter(purposeKey: purposeKey, continuation: continuation)
    return true
  }

  /// Answers all who wait for a purpose.
  mutating func answer(_ purposeKey: String, _ answer: FullAccuracyAnswer) {
    for (id, waiter) in waiters where waiter.purposeKey == purposeKey {
      waiters[id] = nil
      waiter.continuation.resume(returning: answer)
    }
  }

  /// Gives up.
  ///
  /// - Returns: The purpose that nobody waits for any more; `nil` where somebody does.
  mutating func cancel(_ id: UInt64) -> String? {
    guard let waiter = waiters.removeValue(forKey: id) else {
      cancelled.insert(id)
      return nil
    }
    waiter.continuation.resume(returning: .declined)
    let key = waiter.purposeKey
    return waiters.values.contains { $0.purposeKey == key } ? nil : key
  }
}
