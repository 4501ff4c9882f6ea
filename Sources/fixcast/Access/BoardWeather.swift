// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import FixcastConfiguration
import WeatherClient
import WeatherClientLive

/// The weather settings of the board's configuration, for commands that contact providers directly.
struct BoardWeather {
  /// A key file that cannot be read.
  struct KeyFault: Error, CustomStringConvertible {
    /// The file and the error.
    let description: String
  }

  /// The settings, with the providers of the options if the options name any.
  let settings: WeatherSettings
  /// The file and line that turn the weather off; `nil` if the weather is on.
  let disabledBy: String?
  /// The directory of the credentials that systemd passes to this program; `nil` if there are none.
  let credentialsFolder: String?

  /// Reads the configuration.
  ///
  /// Prints a warning if this user may not read a file of the configuration. Does not open key
  /// files, which belong to the daemon and which this user may be unable to read.
  ///
  /// - Parameter named: The providers that the options name; `nil` to use the configured ones.
  /// - Throws: `ExitCode` 78 if the configuration is invalid; its errors have been printed.
  init(naming named: [String]?) throws {
    let loader = try ConfigurationSource(file: nil).loader()
    BoardConfiguration.warnIfUnreadable()
    let result = BoardConfiguration.table.flatMap { table in
      DaemonConfiguration.read(table, catalog: loader.catalog).map { (table, $0.weather) }
    }
    do throws(SettingsErrors) {
      let (table, weather) = try result.get()
      do throws(SettingsError) {
        var section = try table.table("weather")
        disabledBy =
          weather.isEnabled ? nil : section["enabled"]?.origin.map { "\($0)" } ?? "configuration"
        if let named {
          section.set(SettingEntry("providers", .list(named.map { .string($0) })))
          settings = try WeatherSettings(section)
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

  /// Returns the provider's API key; `nil` if none is configured.
  ///
  /// - Throws: ``KeyFault`` if the key's file cannot be read.
  func key(for provider: WeatherSettings.Provider) throws(KeyFault) -> String? {
    guard let name = provider.keyFile else { return provider.configuration.key }
    guard let file = CredentialFile(name, folder: credentialsFolder) else {
      throw KeyFault(description: "\(name): only the service can read this credential")
    }
    do throws(CredentialFault) { return try file.read().exposed } catch {
      throw KeyFault(description: "\(error)")
    }
  }
}
