// SPDX-License-Identifier: Apache-2.0

internal import PathMonitorClient
internal import PathMonitorClientLive
package import SystemSupport
package import WeatherClient
package import WeatherClientLive

/// The providers, the report store and the sensors that weather queries use.
package struct WeatherServiceConfiguration: Sendable {
  /// The providers, in order of preference.
  package var sources: [WeatherService.Source]
  /// The file for reports and request counts; if `nil`, they are kept in memory.
  package var storePath: String?
  /// The board's own sensors.
  package var sensors = IIOSensors()
  /// Stores pressure measurements for the tendency.
  package var pressureLog = PressureLog(path: nil)
  /// The time of reports, sun and moon, shared by the service and its queries.
  package var clock = BoardClock()

  package init(sources: [WeatherService.Source], storePath: String?) {
    self.sources = sources
    self.storePath = storePath
  }

  /// Creates the configuration of a command.
  ///
  /// - Parameters:
  ///   - sources: The providers, in order of preference.
  ///   - environment: The environment variables. Reads `FIXCAST_STATE_DIRECTORY`, `XDG_STATE_HOME`,
  ///     `XDG_RUNTIME_DIR`, `HOME`, and `FIXCAST_ROOT`, which is prefixed to system paths.
  ///   - isRoot: Whether the program runs as root.
  package init(
    sources: [WeatherService.Source], environment: [String: String], isRoot: Bool
  ) {
    self.init(
      sources: sources,
      storePath: WeatherStoreFile.path(environment: environment, isDaemon: false))
    let root = environment["FIXCAST_ROOT"] ?? ""
    sensors = IIOSensors(root: root + IIOSensors.folder)
    pressureLog = PressureLog(
      path: PressureLog.path(
        root: root, runtimeFolder: environment["XDG_RUNTIME_DIR"], isRoot: isRoot))
  }

  /// Creates a service that enforces the providers' request limits.
  ///
  /// `notice` receives the service's log messages. A change of `conditions` ends the back-off after a
  /// failed connection.
  package func service(
    conditions: @escaping @Sendable () -> LookupConditions = { .present() },
    notice: @escaping @Sendable (String) -> Void
  ) -> WeatherService {
    WeatherService(
      sources: sources, storePath: storePath,
      lookup: WeatherLookup(clockWarning: { [clock] in clock.systemError.map { "\($0)" } }),
      now: { [clock] in clock.timestamp }, conditions: conditions, notice: notice)
  }

  /// Creates queries that use a service and the configured sensors.
  package func weatherQueries(_ service: WeatherService) -> WeatherQueries {
    WeatherQueries(service: service, sensors: sensors, pressureLog: pressureLog, clock: clock)
  }

  /// Creates a service, a client of the service, and a monitor of the network path to the
  /// providers.
  package func path(
    notice: @escaping @Sendable (String) -> Void
  ) -> (service: WeatherService, provider: ProviderPath) {
    let evidence = PathEvidence(.live(toAnyOf: sources.map(\.baseURL)))
    let conditions = ProviderPath.conditions(evidence)
    let service = service(conditions: conditions, notice: notice)
    return (
      service, ProviderPath(.live(service), evidence: evidence, conditions: conditions)
    )
  }
}

extension WeatherServiceConfiguration {
  /// Returns an error if there is no network path to any provider.
  ///
  /// Call this function before a request. A request without a network would be treated as a failure
  /// of the provider, which would then not be used for a minute or more. This function blocks for
  /// about a millisecond per provider.
  ///
  /// - Returns: The error of the most preferred provider; `nil` if a provider appears reachable.
  package func obstacle() -> WeatherError? {
    var firstError: WeatherError?
    // A provider with a daily limit of 0 gets no requests, whether the network works or not.
    for source in sources where source.hasBudget {
      guard let obstacle = Self.obstacle(before: source) else { return nil }
      firstError = firstError ?? .of(provider: source.name, host: source.host, obstacle)
    }
    return firstError
  }

  private static func obstacle(before source: WeatherService.Source) -> WeatherError? {
    do throws(WeatherError) {
      let target = try ConnectionTarget(toURL: source.baseURL)
      let path = NetworkPath.present(to: PathDestination(target))
      guard !path.isSatisfied else { return nil }
      let reason = path.reason?.text ?? path.status.rawValue
      if case .proxy(let host) = target {
        return .network("no network path to the proxy \(host): \(reason)")
      }
      return .network("no network path: \(reason)")
    } catch {
      return error
    }
  }
}
