// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationClient
import PathMonitorClient
import Positioning
import WeatherClient
import WeatherFeature

extension WeatherModel {
  /// Waits until the model shows what satisfies a condition, or the test is out of time.
  @discardableResult
  func wait(until isSatisfied: (WeatherState) -> Bool) async -> WeatherState {
    for await state in states() where isSatisfied(state) { return state }
    return state
  }

  /// Waits until the model has taken all that a location manager has said so far.
  ///
  /// A manager's events come in order, so that the last of them, which shows, is told after the
  /// others were taken.
  func takeAll(from location: PlayedLocation) async {
    // Another than is shown, which would be found before anything was taken.
    let isShown = lastError == .location(.headingFailure)
    let mark: LocationError = isShown ? .regionMonitoringFailure : .headingFailure
    location.send(.didFailWithError(mark))
    await wait { $0.lastError == .location(mark) }
  }

  convenience init(
    _ location: PlayedLocation, _ path: PlayedPath, _ weather: PlayedWeather,
    clock: ManualClock = ManualClock()
  ) {
    self.init(
      locationClient: location.client, pathMonitor: path.client, weatherClient: weather.client,
      clock: clock)
  }
}

extension Location {
  /// A location at a latitude, on the prime meridian.
  static func at(_ latitude: Double) -> Location { Location(coordinate: .at(latitude, 0)) }
}
