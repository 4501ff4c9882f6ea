// SPDX-License-Identifier: Apache-2.0

import DaemonClient
import LocationClient
import Receivers
import WeatherClient
import WeatherClientLive
import WeatherFeature

/// A program that prints the temperature at the board, or the reason why it is not known.
@main struct BoardWeather {
  @MainActor static func main() async {
    let locations = LiveLocationService(
      locationClient: .live(
        purpose: "to show the weather here", otherwise: InProcess { SourceGroup([.pluggedIn]) }),
      timeout: .seconds(60), clock: ContinuousClock())
    // The argument is the URL of a server with Open-Meteo's protocol.
    let provider = OpenMeteo(baseURL: CommandLine.arguments.dropFirst().first)
    let model = RootViewModel(
      locationService: locations, weatherClient: .openMeteo(provider), defaultLocation: nil)
    let result = await withCheckedContinuation { continuation in
      model.didFetchWeatherData = { continuation.resume(returning: $0) }
    }
    switch result {
    case .success(let fetched):
      let temperature = fetched.report.now.temperatureDegreesCelsius
      print(temperature.map { "\($0) °C" } ?? "unknown", "(\(fetched.report.provider))")
    case .failure(let error): print("\(error.title). \(error.message)")
    }
  }
}
