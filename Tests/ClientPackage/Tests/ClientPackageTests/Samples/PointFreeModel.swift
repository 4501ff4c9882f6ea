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
  private(set) var alert: String?
  private let locationClient: LocationClient
  private let weatherClient: WeatherClient
  private var subscriptions: [Task<Void, Never>] = []
  private var lookup: Task<Void, Never>?

  init(
    locationClient: LocationClient, pathMonitorClient: PathMonitorClient,
    weatherClient: WeatherClient
  ) {
    (self.locationClient, self.weatherClient) = (locationClient, weatherClient)
    let paths = pathMonitorClient.networkPaths()
    let events = locationClient.delegate()
    subscriptions = [
      Task { [weak self] in for await path in paths { self?.receive(path) } },
      Task { [weak self] in for await event in events { self?.receive(event) } },
    ]
  }

  isolated deinit {
    for task in subscriptions { task.cancel() }
    lookup?.cancel()
  }

  func locationButtonTapped() {
    switch locationClient.authorizationStatus() {
    case .notDetermined: locationClient.requestWhenInUseAuthorization()
    case .authorizedAlways, .authorizedWhenInUse: locationClient.requestLocation()
    case .denied, .restricted: alert = "Allow this program: sudo fixcast auth pending"
    }
  }

  private func receive(_ path: NetworkPath) {
    guard path.isSatisfied != isConnected else { return }
    isConnected = path.isSatisfied
    if isConnected { return lookUp(at: nil) }
    lookup?.cancel()
    weatherResults = []
  }

  private func receive(_ event: LocationClient.DelegateEvent) {
    switch event {
    case .didChangeAuthorization(let status) where status.isAuthorized:
      locationClient.requestLocation()
    case .didUpdateLocations(let locations):
      if let coordinate = locations.last?.coordinate { lookUp(at: coordinate) }
    default: break
    }
  }

  /// Finds the place at a new location, and looks up the weather of the current place by its id.
  private func lookUp(at coordinate: Coordinate?) {
    lookup?.cancel()
    lookup = Task { [weak self, weatherClient] in
      if let coordinate {
        let places = try? await weatherClient.searchLocations(coordinate)
        if Task.isCancelled { return }
        self?.currentPlace = places?.first
      }
      guard let id = self?.currentPlace?.id else { return }
      let report = try? await weatherClient.weather(.place(id))
      if !Task.isCancelled { self?.weatherResults = report?.days ?? [] }
    }
  }
}
