// SPDX-License-Identifier: Apache-2.0

/// Events in an order and at times, each as long after the one before as it was recorded.
struct LocationRecording: Sendable {
  typealias Step = (after: Duration, event: LocationClient.DelegateEvent)

  /// The events that are due as soon as it is played.
  let immediate: [LocationClient.DelegateEvent]
  private let steps: [Step]
  private let clock: any Clock<Duration>

  init(_ steps: [Step] = [], clock: any Clock<Duration> = ContinuousClock()) {
    let first = steps.firstIndex { $0.after > .zero } ?? steps.endIndex
    immediate = steps[..<first].map(\.event)
    self.steps = Array(steps[first...])
    self.clock = clock
  }

  /// Whether anything is due later.
  var hasMore: Bool { !steps.isEmpty }

  /// Whether it tells where the bow points.
  var hasHeading: Bool {
    (immediate + steps.map(\.event)).contains {
      if case .didUpdateHeading = $0 { true } else { false }
    }
  }

  /// Plays all that is not due at once; ends early where the task is cancelled.
  func play(_ tell: @Sendable (LocationClient.DelegateEvent) -> Void) async {
    await play(on: clock, tell)
  }

  private func play(
    on clock: some Clock<Duration>, _ tell: (LocationClient.DelegateEvent) -> Void
  ) async {
    var due = clock.now
    for (after, event) in steps {
      // By the time it is due and not by the time since the last, so that nothing adds up.
      due = due.advanced(by: after)
      guard (try? await clock.sleep(until: due, tolerance: nil)) != nil else { return }
      tell(event)
    }
  }
}
