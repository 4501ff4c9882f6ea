// SPDX-License-Identifier: Apache-2.0

import LocationClient
import Positioning
import WeatherClient

/// Returns a weather client that knows one place and one temperature.
func weatherClient(of place: Place, temperature: Double) -> WeatherClient {
  WeatherClient(
    searchLocations: { coordinate throws(WeatherError) in [place] },
    weather: { target throws(WeatherError) in
      guard target == .coordinate(place.coordinate) || target == .place(place.id) else {
        throw .unsupported("weather elsewhere")
      }
      var report = WeatherReport(coordinate: place.coordinate, provider: "own", kind: .forecast)
      report.now.temperatureDegreesCelsius = temperature
      return report
    })
}

/// Returns an authorized location client that answers each request with one location.
func locationClient(at location: Location) -> LocationClient {
  let (events, manager) = AsyncStream.makeStream(of: LocationClient.DelegateEvent.self)
  manager.yield(.didChangeAuthorization(.authorizedWhenInUse))
  return LocationClient(
    authorizationStatus: { .authorizedWhenInUse }, requestWhenInUseAuthorization: {},
    requestLocation: { manager.yield(.didUpdateLocations([location])) }, delegate: { events })
}
