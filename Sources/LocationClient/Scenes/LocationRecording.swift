// SPDX-License-Identifier: Apache-2.0

/// Recorded events with their delays.
struct LocationRecording: Sendable {
  typealias Step = (after: Duration, event: LocationClient.DelegateEvent)

  /// The events that are due at the start.
  let immediate: [LocationClient.DelegateEvent]
  private let steps: [Step]
  private let clock: any Clock<Duration>

  init(_ steps: [Step] = [], clock: any Clock<Duration> = ContinuousClock()) {
    let first = steps.firstIndex { $0.after > .zero } ?? steps.endIndex
    immediate = steps[..<first].map(\.event)
    self.steps = Array(steps[first...])
    self.clock = clock
  }

  /// Whether events are due after the start.
  var hasMore: Bool { !steps.isEmpty }

  /// Whether the recording contains headings.
  var hasHeading: Bool {
    (immediate + steps.map(\.event)).contains {
      if case .didUpdateHeading = $0 { true } else { false }
    }
  }

  /// Replays the events that are not due at the start; ends early if the task is cancelled.
  func play(_ send: @Sendable (LocationClient.DelegateEvent) -> Void) async {
    await play(on: clock, send)
  }

  private func play(
    on clock: some Clock<Duration>, _ send: (LocationClient.DelegateEvent) -> Void
  ) async {
    var due = clock.now
    for (after, event) in steps {
      // Computed from the previous due time, so that delays do not accumulate.
      due = due.advanced(by: after)
      guard (try? await clock.sleep(until: due, tolerance: nil)) != nil else { return }
      send(event)
    }
  }
}
