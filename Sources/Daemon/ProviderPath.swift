// SPDX-License-Identifier: Apache-2.0

package import PathMonitorClient
package import PathMonitorClientLive
package import WeatherClient
package import WeatherClientLive

/// Providers as one and the path to any of them, of which the one tells of the other.
///
/// What becomes of a lookup is the truth about the path, so that whoever listens to the path is
/// told; nothing is asked for that alone.
package struct ProviderPath: Sendable {
  /// The provider.
  package let client: WeatherClient
  /// The path to it, with what became of the last lookup.
  package let monitor: PathMonitorClient

  /// Makes both.
  ///
  /// - Parameters:
  ///   - client: The provider.
  ///   - baseURLs: Where it is, or where those are that it asks, the preferred first.
  ///   - rules: What the configuration says about interfaces.
  init(_ client: WeatherClient, at baseURLs: [String], rules: PathRules = PathRules()) {
    self.init(client, monitor: .live(toAnyOf: baseURLs, rules: rules))
  }

  init(_ client: WeatherClient, monitor: PathMonitorClient) {
    let evidence = PathEvidence(monitor)
    self.client = client.observed {
      let tell = evidence.requestBegins()
      return { tell(NetworkPath.Verification($0)) }
    }
    self.monitor = evidence.monitor
  }
}

extension PathMonitorClient {
  /// A monitor of the way to any of some providers.
  ///
  /// One at home is to be asked without a way out, and one out there while the one at home is gone.
  /// One that is asked through a proxy of the environment has the way to that.
  ///
  /// - Parameters:
  ///   - baseURLs: Where they are, the preferred first; the internet where there are none.
  ///   - rules: What the configuration says about interfaces.
  /// - Returns: The monitor; it watches each destination once.
  package static func live(
    toAnyOf baseURLs: [String], rules: PathRules = PathRules()
  ) -> PathMonitorClient {
    var destinations: [PathDestination] = []
    for url in baseURLs {
      // Where the proxy cannot be used the lookup says so.
      let hop =
        (try? ConnectionTarget(toURL: url)) ?? .server(host: DestinationHost.host(ofURL: url) ?? "")
      let destination = PathDestination(hop)
      if !destinations.contains(destination) { destinations.append(destination) }
    }
    return .any(of: destinations.map { .live(to: $0, rules: rules) }) ?? .live(rules: rules)
  }
}

extension NetworkPath.Verification {
  /// What became of a request, without its details.
  package init(_ outcome: PathVerifier.Outcome) {
    self =
      switch outcome {
      case .verified: .yes
      case .portal: .portal
      case .upstreamDead: .upstreamDead
      case .dnsFailing: .dnsFailing
      }
  }
}

extension PathDestination {
  /// Where a path has to lead for a request to go out.
  init(_ hop: ConnectionTarget) {
    switch hop {
    case .server(let host): self.init(host: host)
    case .proxy(let host):
      let named = PathDestination(host: host)
      // A proxy is there for those without a way out: whatever its name, it may be a neighbour.
      self = named == .internet ? .localNetwork : named
    }
  }
}
