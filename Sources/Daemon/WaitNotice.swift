// SPDX-License-Identifier: Apache-2.0

/// A message that is shown once if an operation takes longer than a delay.
package struct WaitNotice: Sendable {
  package static let defaultDelay = Duration.seconds(2)

  /// The time until the message is shown; if zero, the message is shown before the operation
  /// begins.
  package var delay: Duration
  private let show: @Sendable () -> Void

  /// Creates a notice.
  ///
  /// `show` must show the message.
  package init(after delay: Duration = defaultDelay, show: @escaping @Sendable () -> Void) {
    self.delay = delay
    self.show = show
  }

  /// Returns the value of `wait`, and shows the message if `wait` takes longer than the delay.
  package func during<Value: Sendable>(
    on clock: any Clock<Duration> = ContinuousClock(), _ wait: () async -> Value
  ) async -> Value {
    if delay == .zero {
      show()
      return await wait()
    }
    let timer = Task { [delay, show] in
      if (try? await clock.sleep(for: delay)) != nil { show() }
    }
    let value = await wait()
    timer.cancel()
    return value
  }
}
