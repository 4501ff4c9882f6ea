// SPDX-License-Identifier: Apache-2.0

import LocationClient
import PathMonitorClient
import WeatherClient

/// A situation that the weather feature can be shown in, out of clients that play it.
struct DemoScene: Sendable {
  /// What it is asked for by.
  let name: String
  /// What it shows, in a few words.
  let summary: String
  /// How long it takes until nothing happens any more.
  var length = Duration.seconds(1)
  /// When the location button is tapped, where it is.
  var tapAfter: Duration?
  /// Each begins anew with every access.
  var locationClient = LocationClient.authorizedWhenInUse
  var pathMonitor = PathMonitorClient.satisfied
  var weatherClient = WeatherClient.happyPath

  /// All there are, by the time of the day.
  static var all: [DemoScene] { all(on: ContinuousClock()) }

  /// All there are, by a clock.
  static func all(on clock: any Clock<Duration>) -> [DemoScene] {
    [
      DemoScene(name: "satisfied", summary: "a network, a grant, a place and its weather"),
      DemoScene(
        name: "unsatisfied", summary: "no network: the location waits, and nothing is looked up",
        pathMonitor: .unsatisfied),
      DemoScene(
        name: "flakey", summary: "a network that comes and goes every two seconds",
        length: .seconds(9), pathMonitor: .flakey(clock: clock)),
      DemoScene(
        name: "not-determined", summary: "nobody has decided: a tap asks, and is granted",
        length: .seconds(2), tapAfter: .seconds(1), locationClient: .notDetermined),
      DemoScene(
        name: "denied", summary: "nobody has decided: a tap asks, and is refused",
        length: .seconds(2), tapAfter: .seconds(1), locationClient: .notDeterminedDenied),
      DemoScene(
        name: "failed-weather", summary: "a place whose weather cannot be looked up",
        weatherClient: .placesOnly),
    ]
  }
}

extension WeatherClient {
  /// Knows places, and fails to tell their weather.
  fileprivate static var placesOnly: WeatherClient {
    WeatherClient(searchLocations: happyPath.searchLocations, weather: failed.weather)
  }
}
