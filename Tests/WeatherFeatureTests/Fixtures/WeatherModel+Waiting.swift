// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationClient
import PathMonitorClient
import Positioning
import WeatherClient
import WeatherFeature

extension WeatherModel {
  /// Waits until the state satisfies a condition.
  @discardableResult
  func wait(until isSatisfied: (WeatherState) -> Bool) async -> WeatherState {
    for await state in states() where isSatisfied(state) { return state }
    return state
  }

  /// Waits until the model has handled all events that the location manager has sent.
  ///
  /// Sends an error as a marker. Events are handled in order, so all earlier events have been
  /// handled when the state contains the error.
  func handleAll(from location: MockLocationManager) async {
    // Use an error that differs from the current error: the current error would match immediately.
    let isCurrent = lastError == .location(.headingFailure)
    let marker: LocationError = isCurrent ? .regionMonitoringFailure : .headingFailure
    location.send(.didFailWithError(marker))
    await wait { $0.lastError == .location(marker) }
  }

  convenience init(
    _ location: MockLocationManager, _ path: MockPathMonitor, _ weather: MockWeatherProvider,
    clock: ManualClock = ManualClock()
  ) {
    self.init(locationClient: location.client, pathMonitor: path.client, weatherClient: weather.client, clock: clock)
  }
}
