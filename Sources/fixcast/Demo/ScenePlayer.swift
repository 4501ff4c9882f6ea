// SPDX-License-Identifier: Apache-2.0

import WeatherFeature

/// Plays a scene through the weather feature.
struct ScenePlayer: Sendable {
  let scene: DemoScene
  let length: Duration
  /// What its time is measured by.
  var clock: any Clock<Duration> = ContinuousClock()

  /// Plays it to its end, or until cancelled.
  ///
  /// - Parameter tell: Told the first state and each change, with the time since the beginning and
  ///   the age of what is last known; `false` ends it.
  @MainActor func play(_ tell: (Duration, WeatherState, Double?) -> Bool) async {
    await play(on: clock, tell)
  }

  @MainActor private func play<Time: Clock<Duration>>(
    on clock: Time, _ tell: (Duration, WeatherState, Double?) -> Bool
  ) async {
    let start = clock.now
    let model = WeatherModel(
      locationClient: scene.locationClient, pathMonitor: scene.pathMonitor,
      weatherClient: scene.weatherClient, clock: clock)
    let states = model.states()
    await withTaskGroup(of: Void.self) { group in
      // The states end with whoever reads them, and the scene does with its time.
      let (moments, moment) = AsyncStream.makeStream(
        of: WeatherState?.self, bufferingPolicy: .bufferingNewest(64))
      group.addTask {
        for await state in states { moment.yield(state) }
      }
      group.addTask {
        try? await clock.sleep(until: start.advanced(by: length), tolerance: nil)
        moment.yield(nil)
      }
      if let tapAfter = scene.tapAfter {
        group.addTask {
          let due = start.advanced(by: tapAfter)
          guard (try? await clock.sleep(until: due, tolerance: nil)) != nil else { return }
          await model.locationButtonTapped()
        }
      }
      for await state in moments {
        let elapsed = start.duration(to: clock.now)
        guard let state, tell(elapsed, state, model.lastKnownWeatherAgeSeconds) else { break }
      }
      group.cancelAll()
    }
  }
}
