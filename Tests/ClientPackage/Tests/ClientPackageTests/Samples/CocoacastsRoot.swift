// SPDX-License-Identifier: Apache-2.0

import LocationClient
import Positioning
import WeatherClient
import WeatherFeature

/// The settings of the app.
enum Defaults {
  /// The location to show first: Brussels.
  static let location = Coordinate(latitudeDegrees: 50.85, longitudeDegrees: 4.35)
}

/// The composition root, which makes the view model with any location service.
@MainActor func makeRootViewModel(
  locationService: any LocationService, weather: WeatherClient,
  show: @escaping @MainActor (String) -> Void
) -> RootViewModel {
  let model = RootViewModel(
    locationService: locationService, weatherClient: weather, defaultLocation: Defaults.location)
  model.didFetchWeatherData = { result in
    switch result {
    case .success(let fetched):
      let temperature = fetched.report.now.temperatureDegreesCelsius
      show("\(fetched.subject): " + (temperature.map { "\($0) °C" } ?? "unknown"))
    case .failure(let error): show("\(error.title). \(error.message)")
    }
  }
  return model
}

/// The location service of the program, which requests authorization and a location.
@MainActor func makeLocationService(_ client: LocationClient) -> any LocationService {
  LiveLocationService(
    locationClient: client, timeout: .seconds(30), clock: ContinuousClock())
}
