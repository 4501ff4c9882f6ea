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

/// Makes the pipeline's plan of what the configuration says.
///
/// What looks up the weather is kept for as long as what the configuration says of it is the same,
/// since it keeps to rules over time.
final class PluginFactory: Sendable {
  private struct Weather: Sendable {
    let settings: WeatherSettings
    let client: WeatherClient
    let monitor: PathMonitorClient
    /// What is known; `nil` where lookups are handed in.
    let weatherQueries: WeatherQueries?
    /// Told apart from the one before: what stands on it is made anew.
    let generation: Int64
  }

  private let environment: [String: String]
  private let stateDirectory: String
  private let logger: Logger
  private let world: DaemonDependencies
  private let weather = Mutex<Weather?>(nil)
  /// The newest generation; goes on where the weather was off in between.
  private let newest = Mutex<Int64>(0)

  /// Makes a maker of plans.
  init(
    environment: [String: String], stateDirectory: String, logger: Logger, world: DaemonDependencies
  ) {
    var environment = environment
    environment["FIXCAST_STATE_DIRECTORY"] = stateDirectory
    self.environment = environment
    self.stateDirectory = stateDirectory
    self.logger = logger
    self.world = world
  }

  /// The plan of a configuration.
  ///
  /// Returns the plan; a plugin whose settings do not fit after all fails when it is made, and says
  /// so.
  func plan(for configuration: DaemonConfiguration) -> PipelinePlan {
    let weather = supply(configuration.weather)
    return PipelinePlan(
      configuration.plugins.compactMap { specification($0, weather) })
  }

  /// The lookups of a configuration; `nil` where the weather is off.
  func lookups(for configuration: DaemonConfiguration) -> OutlookService.Lookups? {
    guard let weather = supply(configuration.weather), let weatherQueries = weather.weatherQueries
    else {
      return nil
    }
    // What a recording tells is where a board was, and its weather is not measured here.
    let isHere = !configuration.sources.contains {
      if case .replay = $0.kind { true } else { false }
    }
    return .init(weatherQueries: weatherQueries, isHere: isHere, generation: weather.generation)
  }

  /// What is known of the weather; `nil` while it is off.
  var weatherQueries: WeatherQueries? { weather.withLock { $0?.weatherQueries } }

  /// Whether the network leads to one of the providers; false while the weather is off.
  func isProviderReachable() async -> Bool {
    guard let monitor = weather.withLock({ $0?.monitor }) else { return false }
    return await monitor.networkPaths().first { _ in true }?.status == .satisfied
  }

  private func specification(
    _ plugin: PluginSettings, _ weather: Weather?
  ) -> PluginSpecification? {
    guard let kind = PluginCatalog.plugin(plugin.role, plugin.type) else { return nil }
    var context = PluginContext(
      name: plugin.name, write: world.write, now: world.timing.now,
      utcNow: { [world] in world.utcNow() }, clock: world.timing.clock, logger: logger(plugin))
    context.launcher = world.launcher
    context.client = weather?.client ?? .placesAlone
    context.monitor = weather?.monitor ?? world.paths
    var specification = kind.specification(plugin.settings, context)
    var settings = plugin.settings
    // What stands on the weather's parts is made anew with them.
    if Self.standsOnLookups(plugin) {
      settings.set(SettingEntry("(weather)", .integer(weather?.generation ?? 0)))
    }
    // Not by the type alone: another plugin under the same name is another one.
    settings.set(SettingEntry("(type)", .string(plugin.type)))
    specification.settings = settings
    specification.isRequired = plugin.isRequired
    if let timeout = plugin.timeout { specification.timeout = timeout }
    return specification
  }

  /// Whether it is given what the lookups share.
  private static func standsOnLookups(_ plugin: PluginSettings) -> Bool {
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

  /// What asks for the weather; `nil` where it is off.
  private func supply(_ settings: WeatherSettings) -> Weather? {
    guard settings.isEnabled else {
      weather.withLock { $0 = nil }
      return nil
    }
    return weather.withLock { weather in
      if let weather, weather.settings == settings { return weather }
      let (provider, weatherQueries) = lookups(settings)
      let generation = newest.withLock { newest in
        newest += 1
        return newest
      }
      let made = Weather(
        settings: settings, client: provider.client, monitor: provider.monitor,
        weatherQueries: weatherQueries, generation: generation)
      weather = made
      return made
    }
  }

  private func lookups(_ settings: WeatherSettings) -> (ProviderPath, WeatherQueries?) {
    if let make = world.makeLookups { return (make(settings), nil) }
    // The pressure is remembered in memory alone: the file that commands share tells where the
    // board was, and would lie where everybody finds the socket.
    var supply = WeatherServiceConfiguration(
      sources: sources(settings),
      storePath: WeatherStoreFile.path(environment: environment, isDaemon: true))
    supply.sensors = IIOSensors(root: (environment["FIXCAST_ROOT"] ?? "") + IIOSensors.folder)
    let (service, provider) = supply.path { [logger] text in logger.notice("weather: \(text)") }
    return (provider, supply.weatherQueries(service))
  }

  /// Those providers that can be asked as things are; what keeps one out is logged.
  private func sources(_ settings: WeatherSettings) -> [WeatherService.Source] {
    settings.providers.compactMap { provider in
      do {
        return try source(provider, settings)
      } catch {
        logger.error("weather: \(provider.name) is not asked: \(error)")
        return nil
      }
    }
  }

  private func source(
    _ provider: WeatherSettings.Provider, _ settings: WeatherSettings
  ) throws -> WeatherService.Source? {
    guard let kind = WeatherCatalog.provider(named: provider.name) else { return nil }
    let key = provider.key ?? provider.keyInFile
    let configuration = WeatherProviderConfiguration(
      baseURL: provider.baseURL, key: key?.exposed, contact: settings.contact,
      gridDecimals: settings.gridDecimals)
    return WeatherService.Source(
      try kind.init(configuration), dailyBudget: provider.dailyLimit ?? 500)
  }
}

extension WeatherClient {
  /// Knows places and no weather, for a board that asks nobody.
  fileprivate static var placesAlone: WeatherClient {
    WeatherClient(
      searchLocations: { _ throws(WeatherError) in [] },
      weather: { _ throws(WeatherError) in throw .unsupported("weather: it is off") }
    ).withPlaces(from: .geoNames)
  }
}
