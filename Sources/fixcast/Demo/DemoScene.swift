// SPDX-License-Identifier: Apache-2.0

import LocationClient
import PathMonitorClient
import WeatherClient

/// A situation of the weather feature, played by scripted clients.
struct DemoScene: Sendable {
  /// The name on the command line.
  let name: String
  /// A one-line description.
  let summary: String
  /// The time until the last event.
  var length = Duration.seconds(1)
  /// The time of a tap on the location button; `nil` for no tap.
  var tapAfter: Duration?
  // Each access to a client starts the client's script from the beginning.
  var locationClient = LocationClient.authorizedWhenInUse
  var pathMonitor = PathMonitorClient.satisfied
  var weatherClient = WeatherClient.happyPath

  /// All scenes, with delays in real time.
  static var all: [DemoScene] { all(on: ContinuousClock()) }

  /// Returns all scenes, with delays on the given clock.
  static func all(on clock: any Clock<Duration>) -> [DemoScene] {
    [
      DemoScene(name: "satisfied", summary: "connected and authorized: the place and its weather"),
      DemoScene(
        name: "unsatisfied", summary: "no network: the location waits, and there is no lookup",
        pathMonitor: .unsatisfied),
      DemoScene(
        name: "flakey", summary: "the network connects and disconnects every two seconds",
        length: .seconds(9), pathMonitor: .flakey(clock: clock)),
      DemoScene(
        name: "not-determined", summary: "no decision yet: a tap requests access, which is granted",
        length: .seconds(2), tapAfter: .seconds(1), locationClient: .notDetermined),
      DemoScene(
        name: "denied", summary: "no decision yet: a tap requests access, which is denied",
        length: .seconds(2), tapAfter: .seconds(1), locationClient: .notDeterminedDenied),
      DemoScene(
        name: "restricted", summary: "the administrator has locked location access: the alert",
        locationClient: .restricted),
      DemoScene(
        name: "services-off", summary: "location services are switched off: the alert, at once",
        locationClient: .locationServicesDisabled),
      DemoScene(
        name: "reduced-accuracy",
        summary: "authorized with reduced accuracy: the place and weather of a cell of 5 km",
        locationClient: .reducedAccuracy),
      DemoScene(
        name: "empty", summary: "no place is near the location, so there is no weather lookup",
        weatherClient: .empty),
      DemoScene(
        name: "failed-weather", summary: "the weather lookup fails; the place is known",
        weatherClient: .placesOnly),
      DemoScene(
        name: "slow-weather", summary: "each lookup takes two seconds: the place, then its weather",
        length: .seconds(5), weatherClient: .slow(clock: clock)),
    ]
  }
}

extension WeatherClient {
  /// A weather client that finds places but fails to get their weather.
  fileprivate static var placesOnly: WeatherClient {
    WeatherClient(searchLocations: happyPath.searchLocations, weather: failed.weather)
  }
}
