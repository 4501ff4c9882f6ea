// SPDX-License-Identifier: Apache-2.0

internal import PathMonitorClient
internal import PathMonitorClientLive
package import WeatherClient
package import WeatherClientLive

/// Whom to ask for the weather, where what they say is kept, and what the board measures itself.
package struct WeatherServiceConfiguration: Sendable {
  /// The providers, in the order in which they are preferred.
  package var sources: [WeatherService.Source]
  /// Where reports and budgets are kept; `nil` for in memory only.
  package var storePath: String?
  /// The board's own sensors.
  package var sensors = IIOSensors()
  /// Keeps what they said of the pressure.
  package var pressureLog = PressureLog(path: nil)

  /// Makes a supply.
  package init(sources: [WeatherService.Source], storePath: String?) {
    self.sources = sources
    self.storePath = storePath
  }

  /// Makes the supply of a command.
  ///
  /// - Parameters:
  ///   - sources: The providers, in the order in which they are preferred.
  ///   - environment: The variables of the environment: `FIXCAST_STATE_DIRECTORY`,
  ///     `XDG_STATE_HOME`, `XDG_RUNTIME_DIR` and `HOME`, and `FIXCAST_ROOT`, which stands before the
  ///     paths of the system.
  ///   - isRoot: Whether root runs the program.
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

  /// The service that keeps to every rule.
  package func service(notice: @escaping @Sendable (String) -> Void) -> WeatherService {
    WeatherService(sources: sources, storePath: storePath, notice: notice)
  }

  /// What can be said with a service of its own.
  package func weatherQueries(_ service: WeatherService) -> WeatherQueries {
    WeatherQueries(service: service, sensors: sensors, pressureLog: pressureLog)
  }

  /// A service with the path to any of the providers, and a client for pipelines.
  package func path(
    notice: @escaping @Sendable (String) -> Void
  ) -> (service: WeatherService, provider: ProviderPath) {
    let service = service(notice: notice)
    return (service, ProviderPath(.live(service), at: sources.map(\.baseURL)))
  }
}

extension WeatherServiceConfiguration {
  /// Why nobody can be asked at present: no provider has a way to it.
  ///
  /// Asked all the same, a provider would be left alone for a minute or more after what is no fault
  /// of its own. Blocks for a millisecond or so for each.
  ///
  /// - Returns: The failure of the provider that is preferred; `nil` where there is a way to any, as
  ///   far as the board can tell.
  package func obstacle() -> WeatherError? {
    var first: WeatherError?
    // What may never be asked is misconfigured, on whichever network.
    for source in sources where source.hasBudget {
      guard let obstacle = Self.obstacle(before: source) else { return nil }
      first = first ?? .of(provider: source.name, host: source.host, obstacle)
    }
    return first
  }

  private static func obstacle(before source: WeatherService.Source) -> WeatherError? {
    do throws(WeatherError) {
      let hop = try ConnectionTarget(toURL: source.baseURL)
      let path = NetworkPath.present(to: PathDestination(hop))
      guard !path.isSatisfied else { return nil }
      let why = path.reason?.text ?? path.status.rawValue
      if case .proxy(let host) = hop { return .network("no way to the proxy \(host): \(why)") }
      return .network("no way there: \(why)")
    } catch {
      return error
    }
  }
}
