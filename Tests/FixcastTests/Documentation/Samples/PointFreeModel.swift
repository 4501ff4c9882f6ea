// SPDX-License-Identifier: Apache-2.0

import LocationClient
import Observation
import PathMonitorClient
import Positioning
import WeatherClient

/// The view model of the episodes: the network status, the place, and the weather there.
@MainActor @Observable
final class AppViewModel {
  private(set) var isConnected = true
  private(set) var currentPlace: Place?
  private(set) var weatherResults: [DayWeather] = []
  private let locationClient: LocationClient
  private let weatherClient: WeatherClient
  private var tasks: [Task<Void, Never>] = []

  init(
    locationClient: LocationClient, pathMonitorClient: PathMonitorClient,
    weatherClient: WeatherClient
  ) {
    (self.locationClient, self.weatherClient) = (locationClient, weatherClient)
    let paths = pathMonitorClient.networkPaths()
    let events = locationClient.delegate()
    tasks = [
      Task { [weak self] in for await path in paths { self?.isConnected = path.isSatisfied } },
      Task { [weak self] in for await event in events { await self?.receive(event) } },
    ]
  }

  isolated deinit { for task in tasks { task.cancel() } }

  func locationButtonTapped() {
    switch locationClient.authorizationStatus() {
    case .notDetermined: locationClient.requestWhenInUseAuthorization()
    case .authorizedAlways, .authorizedWhenInUse: locationClient.requestLocation()
    case .denied, .restricted: break
    }
  }

  private func receive(_ event: LocationClient.DelegateEvent) async {
    switch event {
    case .didChangeAuthorization(let status):
      if status.isAuthorized { locationClient.requestLocation() }
    case .didUpdateLocations(let locations):
      guard let coordinate = locations.last?.coordinate else { return }
      currentPlace = try? await weatherClient.searchLocations(coordinate).first
      weatherResults = (try? await weatherClient.weather(.coordinate(coordinate)).days) ?? []
    default: break
    }
  }
}
