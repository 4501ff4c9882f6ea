// SPDX-License-Identifier: Apache-2.0

import WeatherFeature

/// Plays a scene with the weather feature.
struct ScenePlayer: Sendable {
  let scene: DemoScene
  let length: Duration
  /// The clock for all delays.
  var clock: any Clock<Duration> = ContinuousClock()

  /// Plays the scene until the scene ends or the task is cancelled.
  ///
  /// - Parameter report: Receives the first state and each change, with the elapsed time and the
  ///   age of the last known weather in seconds; returns `false` to stop.
  @MainActor func play(_ report: (Duration, WeatherState, Double?) -> Bool) async {
    await play(on: clock, report)
  }

  @MainActor private func play<Time: Clock<Duration>>(
    on clock: Time, _ report: (Duration, WeatherState, Double?) -> Bool
  ) async {
    let start = clock.now
    let model = WeatherModel(
      locationClient: scene.locationClient, pathMonitor: scene.pathMonitor,
      weatherClient: scene.weatherClient, clock: clock)
    let states = model.states()
    await withTaskGroup(of: Void.self) { group in
      // `nil` marks the end of the scene; the loop below also ends when `report` returns `false`.
      let (updates, update) = AsyncStream.makeStream(
        of: WeatherState?.self, bufferingPolicy: .bufferingNewest(64))
      group.addTask {
        for await state in states { update.yield(state) }
      }
      group.addTask {
        try? await clock.sleep(until: start.advanced(by: length), tolerance: nil)
        update.yield(nil)
      }
      if let tapAfter = scene.tapAfter {
        group.addTask {
          let due = start.advanced(by: tapAfter)
          guard (try? await clock.sleep(until: due, tolerance: nil)) != nil else { return }
          await model.locationButtonTapped()
        }
      }
      for await state in updates {
        let elapsed = start.duration(to: clock.now)
        guard let state, report(elapsed, state, model.lastKnownWeatherAgeSeconds) else { break }
      }
      group.cancelAll()
    }
  }
}
