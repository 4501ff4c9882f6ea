// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import FixcastConfiguration
import WeatherClient
import WeatherClientLive

/// What the board's configuration says of the weather, to a command that asks providers itself.
struct BoardWeather {
  /// Why a key cannot be read.
  struct KeyFault: Error, CustomStringConvertible {
    /// Which file, and what is wrong with it.
    let description: String
  }

  /// What it says; of the providers that were named, where any were.
  let settings: WeatherSettings
  /// Where it says that nobody is to be asked; `nil` where somebody may be.
  let offAt: String?
  /// Where credentials lie that were passed to this program; `nil` where none were.
  let credentialsFolder: String?

  /// Reads it.
  ///
  /// Files of keys are not looked at: they are the daemon's, and whoever runs a command may not be
  /// let in.
  ///
  /// - Parameter named: The providers that the options name; `nil` for those of the configuration.
  /// - Throws: `ExitCode` 78 where the configuration is wrong; what is, has been said.
  init(naming named: [String]?) throws {
    let loader = try ConfigurationSource(file: nil).loader()
    let read = loader.files.read().flatMap { table in
      DaemonConfiguration.read(table, catalog: loader.catalog).map { (table, $0.weather) }
    }
    do throws(SettingsErrors) {
      let (table, weather) = try read.get()
      do throws(SettingsError) {
        var section = try table.table("weather")
        offAt =
          weather.isEnabled ? nil : section["enabled"]?.origin.map { "\($0)" } ?? "configuration"
        if let named {
          section.set(SettingEntry("providers", .list(named.map { .string($0) })))
          settings = try WeatherSettings(section, providers: loader.catalog.providers.map(\.name))
        } else {
          settings = weather
        }
      } catch { throw SettingsErrors([error]) }
    } catch {
      try ConfigurationPrinter(json: false).print(error)
      throw ExitCode(78)
    }
    credentialsFolder = loader.credentialsFolder
  }

  /// The key that it has for a provider; `nil` where it has none.
  ///
  /// - Throws: ``KeyFault`` where it lies where it cannot be read.
  func key(for provider: WeatherSettings.Provider) throws(KeyFault) -> String? {
    guard let name = provider.keyFile else { return provider.key?.exposed }
    guard let file = CredentialFile(name, folder: credentialsFolder) else {
      throw KeyFault(description: "\(name): the service alone has that credential")
    }
    do throws(CredentialFault) { return try file.read().exposed } catch {
      throw KeyFault(description: error.text)
    }
  }
}
