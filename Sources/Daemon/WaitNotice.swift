// SPDX-License-Identifier: Apache-2.0

/// Says what is waited for, once, where that takes longer than a moment.
package struct WaitNotice: Sendable {
  /// What it takes to be worth a word.
  package static let usualDelay = Duration.seconds(2)

  /// After how long it is said; at once where that is nothing.
  package var delay: Duration
  private let say: @Sendable () -> Void

  /// Makes a notice.
  package init(after delay: Duration = usualDelay, say: @escaping @Sendable () -> Void) {
    self.delay = delay
    self.say = say
  }

  /// Says it unless what is waited for is there before.
  package func during<Value: Sendable>(
    on clock: any Clock<Duration> = ContinuousClock(), _ wait: () async -> Value
  ) async -> Value {
    if delay == .zero {
      say()
      return await wait()
    }
    let telling = Task { [delay, say] in
      if (try? await clock.sleep(for: delay)) != nil { say() }
    }
    let value = await wait()
    telling.cancel()
    return value
  }
}
