// SPDX-License-Identifier: Apache-2.0

import LocationClient
import WeatherClient
import WeatherFeature

/// The composition root, which makes the service and the view model with the given clients.
@MainActor func makeRootViewModel(
  location: LocationClient, weather: WeatherClient, show: @escaping @MainActor (String) -> Void
) -> RootViewModel {
  let service = LocationService(
    locationClient: location, timeout: .seconds(30), clock: ContinuousClock())
  let model = RootViewModel(locationService: service, weatherClient: weather)
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
