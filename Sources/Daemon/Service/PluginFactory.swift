// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import LocationServices
internal import Logging
internal import PathMonitorClient
internal import PathMonitorClientLive
internal import Pipeline
internal import Plugins
internal import Positioning
internal import Receivers
internal import Synchronization
internal import WeatherClient
internal import WeatherClientLive
internal import WeatherFeature

/// Creates the pipeline's plan from a configuration.
///
/// The weather service is reused while its settings stay the same, because the service enforces
/// request limits over time.
final class PluginFactory: Sendable {
  private struct Weather: Sendable {
    let settings: WeatherSettings
    let client: WeatherClient
    let monitor: PathMonitorClient
    let changeCount: @Sendable () -> UInt64
    /// The queries; `nil` if ``DaemonDependencies/makeLookups`` creates the client.
    let weatherQueries: WeatherQueries?
    /// A number that increases with each change of the settings, so that dependent plugins are
    /// recreated.
    let generation: Int64
  }

  private let environment: [String: String]
  private let stateDirectory: String
  private let logger: Logger
  private let dependencies: DaemonDependencies
  private let weather = Mutex<Weather?>(nil)
  /// The newest generation.
  ///
  /// Not reset when weather is disabled.
  private let newestGeneration = Mutex<Int64>(0)

  init(
    environment: [String: String], stateDirectory: String, logger: Logger,
    dependencies: DaemonDependencies
  ) {
    var environment = environment
    environment["FIXCAST_STATE_DIRECTORY"] = stateDirectory
    self.environment = environment
    self.stateDirectory = stateDirectory
    self.logger = logger
    self.dependencies = dependencies
  }

  /// Returns the plan for a configuration.
  ///
  /// Invalid settings of a plugin are reported later, when the pipeline creates the plugin.
  func plan(for configuration: DaemonConfiguration) -> PipelinePlan {
    let weather = currentWeather(for: Self.weatherSettings(configuration))
    return PipelinePlan(
      configuration.plugins.compactMap { specification($0, weather) })
  }

  /// Returns the lookups for a configuration; `nil` if weather is disabled.
  func lookups(for configuration: DaemonConfiguration) -> OutlookService.Lookups? {
    guard let weather = currentWeather(for: Self.weatherSettings(configuration)),
      let weatherQueries = weather.weatherQueries
    else {
      return nil
    }
    // A recording's locations are not those of this board, so this board's sensors do not apply.
    let isAtBoard = !configuration.sources.contains {
      if case .replay = $0.specification { true } else { false }
    }
    return .init(
      weatherQueries: weatherQueries, isAtBoard: isAtBoard, generation: weather.generation)
  }

  /// The current weather queries; `nil` while weather is disabled.
  var weatherQueries: WeatherQueries? { weather.withLock { $0?.weatherQueries } }

  /// Whether the network path to at least one provider is satisfied; false while weather is
  /// disabled.
  func isProviderReachable() async -> Bool {
    guard let monitor = weather.withLock({ $0?.monitor }) else { return false }
    return await monitor.networkPaths().first { _ in true }?.status == .satisfied
  }

  private func specification(
    _ plugin: PluginSettings, _ weather: Weather?
  ) -> PluginSpecification? {
    guard let kind = PluginCatalog.plugin(plugin.role, plugin.type) else { return nil }
    var context = PluginContext(
      name: plugin.name, write: dependencies.write, now: dependencies.timing.now,
      utcNow: { [dependencies] in dependencies.utcNow() }, clock: dependencies.timing.clock,
      logger: logger(plugin))
    context.version = ProgramVersion.text
    context.launcher = dependencies.launcher
    context.client = weather?.client ?? .placesOnly
    context.monitor = weather?.monitor ?? dependencies.paths
    if let weather { context.lookupChangeCount = weather.changeCount }
    let newest = NewestReport { [weak self] report in
      await self?.weatherQueries?.receive(report.report, ageSeconds: report.ageSeconds)
    }
    context.receiveWeather = { newest.receive(.init(report: $0, ageSeconds: $1)) }
    context.reducedCell = .of(folder: stateDirectory)
    var specification = kind.specification(plugin.settings, context)
    var settings = plugin.settings
    // A new generation changes the settings of dependent plugins, so that they are recreated.
    if Self.dependsOnLookups(plugin) {
      settings.set(SettingEntry("(weather)", .integer(weather?.generation ?? 0)))
    }
    // Add the type to the settings, so that a plugin is recreated if its type changes but its name
    // does not.
    settings.set(SettingEntry("(type)", .string(plugin.type)))
    specification.settings = settings
    specification.isRequired = plugin.isRequired
    if let timeout = plugin.timeout { specification.timeout = timeout }
    return specification
  }

  /// Returns the weather settings; no provider gets requests if only the fleet's weather is used.
  private static func weatherSettings(_ configuration: DaemonConfiguration) -> WeatherSettings {
    var weather = configuration.weather
    if configuration.plugins.contains(where: { FleetSink.usesOnlyFleetWeather($0) }) {
      for index in weather.providers.indices { weather.providers[index].dailyLimit = 0 }
    }
    return weather
  }

  /// Whether a plugin uses the weather client or its path monitor.
  private static func dependsOnLookups(_ plugin: PluginSettings) -> Bool {
    switch plugin.role {
    case .gate: plugin.type == ReachabilityGatePlugin.plugin.name
    case .stage:
      [PlaceStagePlugin.plugin.name, WeatherStagePlugin.plugin.name].contains(plugin.type)
    case .sink: false
    }
  }

  private func logger(_ plugin: PluginSettings) -> Logger {
    var logger = logger
    logger[metadataKey: "plugin"] = "\(plugin.name)"
    return logger
  }

  /// Returns the client and the monitor for weather settings; `nil` if weather is disabled.
  ///
  /// Creates both anew only if the settings have changed.
  private func currentWeather(for settings: WeatherSettings) -> Weather? {
    guard settings.isEnabled else {
      weather.withLock { $0 = nil }
      return nil
    }
    return weather.withLock { weather in
      if let weather, weather.settings == settings { return weather }
      let (provider, weatherQueries) = lookups(settings)
      let generation = newestGeneration.withLock { newest in
        newest += 1
        return newest
      }
      let newWeather = Weather(
        settings: settings, client: provider.client, monitor: provider.monitor,
        changeCount: provider.changeCount, weatherQueries: weatherQueries, generation: generation)
      weather = newWeather
      return newWeather
    }
  }

  private func lookups(_ settings: WeatherSettings) -> (ProviderPath, WeatherQueries?) {
    if let make = dependencies.makeLookups { return (make(settings), nil) }
    // Pressure measurements stay in memory. Commands store measurements in a file, which would
    // reveal where the board was: every user can open the daemon's runtime directory to reach the
    // socket.
    var configuration = WeatherServiceConfiguration(
      sources: sources(settings),
      storePath: WeatherStoreFile.path(environment: environment, isDaemon: true))
    if let clock = dependencies.clock { configuration.clock = clock }
    configuration.sensors = IIOSensors(
      root: (environment["FIXCAST_ROOT"] ?? "") + IIOSensors.folder)
    let (service, provider) = configuration.path { [logger] text in
      logger.notice("weather: \(text)")
    }
    return (provider, configuration.weatherQueries(service))
  }

  /// Returns the correctly configured providers, and logs an error for each other provider.
  private func sources(_ settings: WeatherSettings) -> [WeatherService.Source] {
    settings.providers.compactMap { provider in
      do throws(WeatherError) { return try provider.source() } catch {
        logger.error("weather: not using \(provider.name): \(error)")
        return nil
      }
    }
  }
}

extension WeatherClient {
  /// A client that finds places offline and has no weather.
  ///
  /// Used while weather is disabled.
  fileprivate static var placesOnly: WeatherClient {
    WeatherClient(
      searchLocations: { _ throws(WeatherError) in [] },
      weather: { _ throws(WeatherError) in
        throw .unsupported("weather: disabled in the configuration")
      }
    ).withPlaces(from: .geoNames)
  }
}
