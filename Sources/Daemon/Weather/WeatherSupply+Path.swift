// SPDX-License-Identifier: Apache-2.0

internal import PathMonitorClient
internal import PathMonitorClientLive
package import WeatherClient
internal import WeatherClientLive

extension WeatherSupply {
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
      let hop = try FirstHop(toURL: source.baseURL)
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
