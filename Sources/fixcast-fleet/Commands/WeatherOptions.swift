// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemSupport
import WeatherClient
import WeatherClientLive

/// The options for the weather of a fleet.
struct WeatherOptions: ParsableArguments {
  @Option(
    name: .long,
    help: "Provider whose weather the boards receive, such as openmeteo (default: no weather).")
  var weather: String?

  @Option(name: .long, help: "Base URL of the provider (default: its public service).")
  var weatherURL: String?

  @Option(name: .long, help: "File with the provider's key.", completion: .file())
  var weatherKeyFile: String?

  @Option(name: .long, help: "Contact for the provider, an e-mail address or a URL.")
  var weatherContact: String?

  @Option(name: .long, help: "Maximum number of requests in any 24 hours.")
  var weatherDailyLimit = 500

  @Option(
    name: .long, help: "Size of a cell as decimal places in degrees: 2 for 1 km, 1 for 11 km.")
  var weatherDecimals = 1

  func validate() throws {
    if let weather, WeatherCatalog.provider(named: weather) == nil {
      let names = WeatherCatalog.providers.map { $0.name }.joined(separator: ", ")
      throw ValidationError("\(weather) is not a provider; use one of \(names)")
    }
    guard (0...2).contains(weatherDecimals) else {
      throw ValidationError("--weather-decimals must be 0, 1 or 2")
    }
    guard (1...10_000_000).contains(weatherDailyLimit) else {
      throw ValidationError("--weather-daily-limit must be at least 1")
    }
  }

  /// Returns the settings; `nil` without a provider.
  func settings() throws -> FleetWeather.Settings? {
    guard let weather, let type = WeatherCatalog.provider(named: weather) else { return nil }
    var configuration = WeatherProviderConfiguration(
      baseURL: weatherURL, contact: weatherContact, gridDecimals: weatherDecimals)
    if let weatherKeyFile {
      guard let text = BoundedFile.text(weatherKeyFile) else {
        throw FleetFailure.configuration("\(weatherKeyFile): the key cannot be read")
      }
      configuration.key = String(text.prefix { !$0.isWhitespace })
    }
    do throws(WeatherError) {
      return FleetWeather.Settings(
        provider: try type.init(configuration), dailyLimit: weatherDailyLimit,
        decimals: weatherDecimals)
    } catch { throw FleetFailure.configuration("\(weather): \(error)") }
  }
}
